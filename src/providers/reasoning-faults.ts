/**
 * Whether a 400 is about a reasoning parameter. Compares with a closed list and keeps nothing, since bodies
 * quote prompts.
 */
import { APICallError } from "@ai-sdk/provider";
import { own, parsedJson, type JsonValue } from "../domain/json.ts";

/** `{error: {param: "reasoning_effort"}}` of OpenAI, Groq, xAI, and others. */
const params: ReadonlySet<string> = new Set([
  "reasoning_effort",
  "reasoning.effort",
  "reasoning",
  "reasoning.enabled",
  "reasoning.summary",
  "thinking",
  "thinking.type",
  "thinking.budget_tokens",
  "output_config.effort",
  "chat_template_kwargs",
]);

/** Matches a parameter within a sentence at the message's start, since messages may quote the request. */
const fragments: readonly RegExp[] = [
  // Anthropic: "thinking.type: …", "output_config.effort: …", "`thinking` may not be enabled when …"
  /^(thinking|output_config)(\.\w+)*: /,
  /^`?thinking`? may not be/i,
  /^this model does not support (the )?(effort|thinking)/i,
  /^adaptive thinking is not supported/i,
  // Google: "Budget 0 is invalid. This model only works in thinking mode."
  /^budget \d+ is invalid/i,
  /^thinking[ _](budget|level|config)\b/i,
  /^invalid json payload received\. unknown name "thinking_?(level|budget|config)"/i,
  /^(the )?thinking[ _]?(budget|level) .{0,40}(invalid|not supported)/i,
  // Ollama: `"qwen2.5" does not support thinking`
  /^"[^"]{1,100}" does not support thinking/,
  /^(invalid reasoning value|think value)\b/i,
  // Groq, xAI, Mistral, DeepSeek, Cerebras, Together: "`reasoning_effort` is not supported with this model"
  /^`?'?(reasoning_effort|reasoning|thinking)'?`? (is not|isn't|must be|does not|parameter)/i,
  /^model .{1,100} does not support (the )?(parameter )?['"`]?(reasoning_?effort|reasoning|thinking)\b/i,
  /^(unsupported|unknown|unrecognized|invalid) (request )?(parameter|argument|field|value)s?( supplied)?( for)?:? ['"`]?(reasoning_?effort|reasoning|thinking)\b/i,
];

const longestHead = 300;

const textsIn = (error: JsonValue | undefined): string[] =>
  [own(error, "message"), own(error, "error"), own(error, "detail"), error].flatMap((text) =>
    typeof text === "string" ? [text.slice(0, longestHead)] : [],
  );

/** FastAPI: `{detail: [{loc: ["body", "reasoning_effort"]}]}`. */
function isLocated(body: JsonValue): boolean {
  const details = own(own(body, "message") ?? body, "detail") ?? own(body, "detail");
  if (!Array.isArray(details)) return false;
  return details.some((detail) => {
    const place = own(detail, "loc");
    return (
      Array.isArray(place) && place.some((name) => typeof name === "string" && params.has(name))
    );
  });
}

export function refusesReasoning(thrown: unknown): boolean {
  if (!APICallError.isInstance(thrown)) return false;
  if (thrown.statusCode !== 400 && thrown.statusCode !== 422) return false;
  const body =
    typeof thrown.responseBody === "string" ? parsedJson(thrown.responseBody) : undefined;
  if (body === undefined) return false;
  if (isLocated(body)) return true;
  const error = own(body, "error") ?? body;
  const param = own(error, "param");
  if (typeof param === "string") return params.has(param);
  return textsIn(error).some((text) => fragments.some((fragment) => fragment.test(text)));
}
