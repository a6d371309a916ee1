/** What is wrong with an input, in words for the person who sent it: from what a schema complains of. */
import type { z } from "zod";
import type { Refusal } from "../domain/refusals.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

interface Complaint {
  issue: Issue;
  path: Path;
}

interface Fault {
  path: Path;
  words: string;
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

/** `null`: the schema's author wrote the message, or Zod's own says it well enough. */
function expectedOf(issue: Issue): string | null {
  // Zod's own messages begin so. An issue doesn't say otherwise whose message it has.
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

/** Of a union, the first complaint of each of its shapes, with its path from the input's root. */
function complaintsOf(issue: Issue, at: Path = []): Complaint[] {
  const path = [...at, ...issue.path];
  return issue.code === "invalid_union" && issue.errors.length > 0
    ? issue.errors.flatMap(([first]) => (first === undefined ? [] : complaintsOf(first, path)))
    : [{ issue, path }];
}

/**
 * The sender meant the shape that fails deepest within, and whose constants (such as `type`) fit.
 * Where several could be meant, all complaints of one place.
 */
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
  // The schema reports the object, but the unknown key is what is wrong.
  if (issue.code === "unrecognized_keys")
    return {
      path: [...path, ...issue.keys.slice(0, 1)],
      words: issue.message.startsWith("Unrecognized key") ? "Unknown field." : issue.message,
    };
  const expected = new Set(meant.flatMap((complaint) => expectedOf(complaint.issue) ?? []));
  if (expected.size === 0) return { path, words: issue.message };
  return {
    path,
    words: `${isMissing(issue) ? "Missing. " : ""}Expected ${[...expected].join(", or ")}.`,
  };
}

/**
 * Says where an input is wrong and how, and never its value. Whoever misspelt a field reads both:
 * which one is missing, and which one is unknown.
 */
export function refusalOfInput(error: z.core.$ZodError): Refusal {
  const [first] = error.issues;
  const { path, words } = first === undefined ? { path: [], words: "Not valid." } : faultOf(first);
  const unknown = error.issues.find(
    (issue) => issue.code === "unrecognized_keys" && issue !== first,
  );
  const also = unknown === undefined ? null : faultOf(unknown).path.map(String).join(".");
  return {
    reason: "invalid_params",
    path: path.map(String).join(".").slice(0, 200),
    detail: also === null ? words : `${words} Unknown field: ${also.slice(0, 100)}.`,
  };
}
