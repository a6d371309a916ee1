/** Explains invalid input in words, from the schema's issues. */
import type { z } from "zod";
import type { Refusal, WrongMember } from "../domain/refusals.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

interface Complaint {
  issue: Issue;
  path: Path;
}

interface Fault {
  path: Path;
  explanation: string;
}

const jsonTypes: Record<string, string> = {
  array: "an array",
  boolean: "true or false",
  int: "a whole number",
  null: "null",
  object: "an object",
  record: "an object",
};

const bounded = (origin: string, bound: number | bigint): string => {
  if (origin === "string") return `${bound} ${bound === 1 ? "character" : "characters"}`;
  return ["array", "set", "map"].includes(origin)
    ? `${bound} ${bound === 1 ? "item" : "items"}`
    : `${bound}`;
};

/** `null` if the message already explains the issue. */
function expectedOf(issue: Issue): string | null {
  // Detects Zod's own messages, which an issue doesn't mark.
  if (!/^(?:Invalid (?:input|option)|Too (?:small|big))\b/.test(issue.message)) return null;
  switch (issue.code) {
    case "invalid_type":
      return jsonTypes[issue.expected] ?? `a ${issue.expected}`;
    case "invalid_value":
      return issue.values.map((value) => JSON.stringify(value)).join(" or ");
    case "too_small":
      return `${issue.inclusive ? "at least" : "more than"} ${bounded(issue.origin, issue.minimum)}`;
    case "too_big":
      return `${issue.inclusive ? "at most" : "less than"} ${bounded(issue.origin, issue.maximum)}`;
    default:
      return null;
  }
}

const isMissing = (issue: Issue): boolean =>
  issue.code === "invalid_type" && issue.message.endsWith("received undefined");

/** For a union, the first issue of each variant. */
function complaintsOf(issue: Issue, at: Path = []): Complaint[] {
  const path = [...at, ...issue.path];
  return issue.code === "invalid_union" && issue.errors.length > 0
    ? issue.errors.flatMap(([first]) => (first === undefined ? [] : complaintsOf(first, path)))
    : [{ issue, path }];
}

/** The variant that fails deepest and whose constants match was meant, or several. */
function meantOf(complaints: readonly Complaint[], whole: Path): Complaint[] {
  const depth = Math.max(...complaints.map(({ path }) => path.length));
  const deepest = complaints.filter(({ path }) => path.length === depth);
  const fitting = deepest.filter(({ issue }) => issue.code !== "invalid_value");
  const meant = depth > whole.length && fitting.length === 1 ? fitting : deepest;
  const place = String(meant[0]?.path);
  return meant.filter(({ path }) => String(path) === place);
}

function faultOf(first: Issue): Fault {
  const meant = meantOf(complaintsOf(first), first.path);
  const [{ issue, path } = { issue: first, path: first.path }] = meant;
  if (issue.code === "unrecognized_keys")
    return {
      path: [...path, ...issue.keys.slice(0, 1)],
      explanation: issue.message.startsWith("Unrecognized key") ? "Unknown field." : issue.message,
    };
  const expected = new Set(meant.flatMap((complaint) => expectedOf(complaint.issue) ?? []));
  if (expected.size === 0) return { path, explanation: issue.message };
  return {
    path,
    explanation: `${isMissing(issue) ? "Missing. " : ""}Expected ${[...expected].join(", or ")}.`,
  };
}

type InvalidInput = Extract<Refusal, { reason: "invalid_params" }>;

const memberOf = ({ path, explanation: detail }: Fault): WrongMember => ({
  path: path.map(String).join(".").slice(0, 200),
  detail,
});

/** Names the place and problem, never the value. For a misspelled member, both the missing and the unknown one. */
export function refusalOfInput(error: z.core.$ZodError): InvalidInput {
  const [first] = error.issues;
  const { path, detail } = memberOf(
    first === undefined ? { path: [], explanation: "Not valid." } : faultOf(first),
  );
  const unknown = error.issues.find(
    (issue) => issue.code === "unrecognized_keys" && issue !== first,
  );
  const also = unknown === undefined ? null : faultOf(unknown).path.map(String).join(".");
  return {
    reason: "invalid_params",
    path,
    detail: also === null ? detail : `${detail} Unknown field: ${also.slice(0, 100)}.`,
  };
}

const maxOthers = 20;

/** All wrong members, for people who correct a form. */
export function refusalOfForm(error: z.core.$ZodError): InvalidInput {
  const others = error.issues
    .slice(1, 1 + maxOthers)
    .filter(({ code }) => code !== "unrecognized_keys")
    .map((issue) => memberOf(faultOf(issue)));
  return { ...refusalOfInput(error), ...(others.length > 0 && { others }) };
}
