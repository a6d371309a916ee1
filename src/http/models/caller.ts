import { nameHeaders } from "../../domain/choice/call-names.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { namePattern, type Priorities, type SamplingCall } from "../../domain/sampling/call.ts";
import { bearerOf } from "../../domain/tenancy/access.ts";
import type { Claim } from "../../pipeline/callers/authenticate.ts";

/** Where Anthropic's SDK sends a key. */
export const modelKeyHeader = "x-api-key";

type Headers_ = Pick<Headers, "get">;

/** Anthropic's SDK may send either header, or both with one value. */
export function modelKeyOf(headers: Headers_): Result<string, Refusal> {
  const bearer = bearerOf(headers.get("Authorization") ?? undefined);
  const named = headers.get(modelKeyHeader)?.trim() || null;
  if (bearer !== null && named !== null && bearer !== named)
    return err({ reason: "unauthorized", detail: "Authorization and x-api-key hold two keys." });
  const token = bearer ?? named;
  return token === null
    ? err({ reason: "unauthorized", detail: "Send Authorization: Bearer <API key>, or x-api-key." })
    : ok(token);
}

export const modelClaim = (token: string, tenant: string | undefined): Claim => ({
  token,
  sessionId: null,
  scope: "models",
  ...(tenant !== undefined && { tenant }),
});

const hintsHeader = "X-Router-Hints";
const prioritiesHeader = "X-Router-Priorities";
const maxHints = 32;
const longestHint = 200;

const wrong = (path: string, detail: string): Result<never, Refusal> =>
  err({ reason: "invalid_params", path, detail });

function prioritiesIn(sent: string): Result<Priorities, Refusal> {
  const priorities: Priorities = {};
  for (const part of sent.split(",")) {
    const found = /^\s*(cost|speed|intelligence)\s*=\s*(0(?:\.\d+)?|1(?:\.0+)?)\s*$/.exec(part);
    const axis = found?.[1];
    if (axis !== "cost" && axis !== "speed" && axis !== "intelligence")
      return wrong(prioritiesHeader, 'Expected, for example, "cost=0.8,speed=0.2", each 0 to 1.');
    priorities[axis] = Number(found?.[2]);
  }
  return ok(priorities);
}

function hintsIn(sent: string): Result<string[], Refusal> {
  const hints = sent
    .split(",")
    .map((hint) => hint.trim())
    .filter((hint) => hint !== "");
  return hints.length > maxHints || hints.some((hint) => hint.length > longestHint)
    ? wrong(hintsHeader, `At most ${maxHints} hints of ${longestHint} characters.`)
    : ok(hints);
}

function nameIn(headers: Headers_, header: string): Result<string | undefined, Refusal> {
  const name = headers.get(header) ?? undefined;
  return name === undefined || namePattern.test(name)
    ? ok(name)
    : wrong(header, "A-Z, a-z, 0-9, dot, underscore and hyphen, 64 characters at most.");
}

type Asked = Pick<SamplingCall, "hints" | "priorities" | "tag" | "run">;

export function askedByHeaders(headers: Headers_): Result<Asked, Refusal> {
  const hints = hintsIn(headers.get(hintsHeader) ?? "");
  if (!hints.ok) return hints;
  const sent = headers.get(prioritiesHeader);
  const priorities = sent === null ? ok({}) : prioritiesIn(sent);
  if (!priorities.ok) return priorities;
  const tag = nameIn(headers, nameHeaders.tag);
  if (!tag.ok) return tag;
  const run = nameIn(headers, nameHeaders.run);
  if (!run.ok) return run;
  return ok({
    hints: hints.value,
    priorities: priorities.value,
    ...(tag.value !== undefined && { tag: tag.value }),
    ...(run.value !== undefined && { run: run.value }),
  });
}
