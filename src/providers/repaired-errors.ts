/** Normalizes answers of servers that deviate from OpenAI's wire. */
import { isObject, own, parsedJson, type JsonObject, type JsonValue } from "../domain/json.ts";
import { readAnswer } from "./read-answer.ts";

/** Object arguments, counts as text, or an error in place of choices. Avoids parsing every answer. */
const isOdd =
  /"arguments"\s*:\s*[^"\s]|"(?:prompt|completion|total)_tokens"\s*:\s*[^\dn\s]|^\s*\{\s*"error"\s*:\s*[^n\s]/;

function repairedUse(use: JsonValue): JsonValue {
  const called = own(use, "function");
  const given = own(called, "arguments");
  if (!isObject(use) || !isObject(called) || typeof given === "string") return use;
  return { ...use, function: { ...called, arguments: JSON.stringify(given ?? null) } };
}

function repairedChoice(choice: JsonValue): JsonValue {
  const message = own(choice, "message");
  const uses = own(message, "tool_calls");
  if (!isObject(choice) || !isObject(message) || !Array.isArray(uses)) return choice;
  return { ...choice, message: { ...message, tool_calls: uses.map(repairedUse) } };
}

/** The library refuses an answer for its usage, which the router can estimate. */
const isUsable = (usage: JsonValue | undefined): boolean =>
  ["prompt_tokens", "completion_tokens", "total_tokens"].every((name) => {
    const count = own(usage, name) ?? 0;
    return typeof count === "number";
  });

const defaultStatus = 502;

/** The error's own status. */
function statusIn(error: JsonValue): number {
  const code = Number(own(error, "code") ?? own(error, "status"));
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : defaultStatus;
}

/** `null` if nothing needs to change. */
function repairedError(text: string): { status: number; body: JsonObject } | null {
  if (!isOdd.test(text)) return null;
  const body = parsedJson(text);
  if (!isObject(body)) return null;
  const choices = own(body, "choices");
  const error = own(body, "error");
  if (isObject(error) && choices === undefined) return { status: statusIn(error), body };
  return Array.isArray(choices)
    ? {
        status: 200,
        body: {
          ...body,
          choices: choices.map(repairedChoice),
          ...(!isUsable(own(body, "usage")) && { usage: null }),
        },
      }
    : null;
}

const encoder = new TextEncoder();

/** @param inner reads answers whole; see `readOutsideSlot` */
export function repairingFetch(inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    if (!response.ok || response.body === null) return response;
    const repaired = repairedError(await response.text());
    if (repaired === null) return response;
    const { status, body } = repaired;
    const { headers } = response;
    return readAnswer({ status, headers, body: encoder.encode(JSON.stringify(body)) });
  };
}
