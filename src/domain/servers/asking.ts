/** What a server of 2026-07-28 asks of a client of an older revision, to which the router sends it as requests. */
import type { JsonObject } from "../json.ts";
import { isObject, own } from "../json.ts";
import { serverFailed, type Refusal } from "../refusals.ts";
import { err, ok, type Result } from "../result.ts";
import { forVersion, supports } from "../sampling/capabilities.ts";
import { maxEntries, samplingMethod } from "../sampling/rounds.ts";
import { notTranslated } from "./bridging.ts";

/** Rounds of one request, and ms per round: what the official SDK allows for its own older clients. */
export const askedLimits = { rounds: 8, patienceMs: 600_000 } as const;

export interface AskedQuestion {
  key: string;
  mode: "form" | "url";
}

export const askedMethod = "elicitation/create";

export function declaredElicitation({
  capabilities,
  revision,
}: {
  capabilities: JsonObject;
  revision: string;
}): JsonObject | null {
  const declared = forVersion(capabilities, revision);
  const modes = (["form", "url"] as const).filter((mode) =>
    supports(declared, `elicitation.${mode}`),
  );
  return modes.length === 0 ? null : Object.fromEntries(modes.map((mode) => [mode, {}]));
}

/** @param declared the capabilities that the server knows */
export function questionsIn(
  result: unknown,
  declared: JsonObject,
): Result<AskedQuestion[], Refusal> {
  if (own(result, "resultType") !== "input_required") return ok([]);
  const entries = Object.entries(own(result, "inputRequests") ?? {});
  if (entries.length > maxEntries)
    return err({ reason: "forbidden", action: `more than ${maxEntries} concurrent questions` });
  const questions: AskedQuestion[] = [];
  for (const [key, entry] of entries) {
    const method = own(entry, "method");
    const params = own(entry, "params");
    if (method === samplingMethod) continue;
    if (method === "roots/list")
      return err({
        reason: "capability_missing",
        requiredCapabilities: { roots: {} },
        detail: notTranslated("legacy"),
      });
    if (method !== askedMethod || !isObject(params))
      return err(serverFailed("It asks for something that its revision doesn't define."));
    const mode = own(params, "mode") === "url" ? "url" : "form";
    if (!supports(declared, `elicitation.${mode}`))
      return err({
        reason: "capability_missing",
        requiredCapabilities: { elicitation: { [mode]: {} } },
      });
    questions.push({ key, mode });
  }
  return ok(questions);
}

const actions: ReadonlySet<unknown> = new Set(["accept", "decline", "cancel"]);

export function faultOfAnswer(answer: unknown): Refusal | null {
  const error = own(answer, "error");
  if (error !== undefined) {
    const code = own(error, "code");
    const detail = typeof code === "number" ? ` ${code}` : "";
    return { reason: "input_missing", detail: `The client answered with an error${detail}.` };
  }
  return actions.has(own(own(answer, "result"), "action"))
    ? null
    : { reason: "input_missing", detail: "The client's answer has no valid action." };
}
