/**
 * The provider's message about a failed call: short, without secrets. Stored only in the sealed part of the
 * record.
 */
import { APICallError } from "@ai-sdk/provider";
import { isObject, own, type JsonValue } from "../domain/json.ts";
import type { ProviderRequest } from "../domain/sampling/providers.ts";
import { maskSecrets } from "../domain/audit/masking.ts";

const maxCharacters = 500;
/** Masking is slow, and long messages say nothing more. */
const maxRead = 4_000;
/** Providers echo whole requests. */
const maxSearched = 65_536;
/** Shorter texts of the call occur by chance. */
const fewestCharacters = 6;

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** `{error: {message}}` of OpenAI, Anthropic, and Google (sometimes in an array), `{message}`, or `{detail}`. */
function messageIn(body: unknown): string | null {
  const [value] = Array.isArray(body) ? (body as unknown[]) : [body];
  if (!isObject(value)) return null;
  const error = own(value, "error");
  const candidates = [own(error, "message"), error, own(value, "message"), own(value, "detail")];
  const found = candidates.find((each) => typeof each === "string" && each.trim() !== "");
  return typeof found === "string" ? found : null;
}

/** Plain and JSON-escaped, longest first. */
function textsOf({ systemPrompt = "", messages }: ProviderRequest["call"]): string[] {
  const blocks = messages.flatMap(({ content }) => content);
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return [systemPrompt, ...texts]
    .flatMap((text) =>
      text.length < fewestCharacters ? [] : [text, JSON.stringify(text).slice(1, -1)],
    )
    .toSorted((a, b) => b.length - a.length);
}

/** Removes the caller's texts, which only `capture` may keep. */
export function messageOf(
  thrown: unknown,
  { credential: { apiKey }, call }: Pick<ProviderRequest, "credential" | "call">,
): string | null {
  if (!APICallError.isInstance(thrown)) return null;
  const body: unknown = thrown.responseBody;
  // An unreadable success may contain the answer, which only `capture` may keep.
  if (typeof body === "string" && (thrown.statusCode ?? 0) < 400) return null;
  const text = typeof body === "string" ? (messageIn(parsed(body)) ?? body) : messageIn(body);
  if (text === null) return null;
  let read = text.slice(0, maxSearched);
  if (apiKey !== "") read = read.replaceAll(apiKey, "[key]");
  for (const written of textsOf(call)) read = read.replaceAll(written, "[content]");
  const plain = maskSecrets(read.slice(0, maxRead)).replaceAll(/\s+/g, " ").trim();
  return plain === "" ? null : [...plain].slice(0, maxCharacters).join("");
}

export function reportMessage(
  thrown: unknown,
  request: Pick<ProviderRequest, "credential" | "call" | "onMessage">,
): void {
  const { onMessage } = request;
  const message = onMessage === undefined ? null : messageOf(thrown, request);
  if (message !== null) onMessage?.(message);
}
