/**
 * What a capturing policy keeps of one call: the request and the answer, or only how large they were. Secrets
 * are masked.
 */
import type { JsonObject, JsonValue } from "../json.ts";
import { maskValue } from "./masking.ts";
import type { Block } from "../sampling/call.ts";

/** A Durable Object takes 2 MB a row. Sealing adds a third, and other scripts have up to three bytes a character. */
export const mostCapturedCharacters = 400_000;

/** What a provider said of one failed attempt: masked, and 500 characters at most. */
export interface ProviderMessage {
  provider: string;
  model: string;
  message: string;
}

/** Stands before a sealed text that holds providers' messages alone. Such a call does not count as captured. */
const messagesOnly = "messages:";

export const isCaptured = (stored: string | null): boolean =>
  stored !== null && !stored.startsWith(messagesOnly);
/** As many characters of the stored text as `isCaptured` needs. */
export const markCharacters = messagesOnly.length;

/** The JSON to be sealed; null: nothing is kept. `captured`: a text by `captureOf`. */
export function keptOf(
  captured: string | null,
  messages: readonly ProviderMessage[],
): string | null {
  if (messages.length === 0) return captured;
  const member = `"providerMessages":${JSON.stringify(messages)}}`;
  return captured === null ? `{${member}` : `${captured.slice(0, -1)},${member}`;
}

/** The sealed text as it is stored, with the mark of `messagesOnly` where the call is not captured. */
export const storedAs = (sealed: string, captured: string | null): string =>
  captured === null ? `${messagesOnly}${sealed}` : sealed;
export const sealedIn = (stored: string): string =>
  isCaptured(stored) ? stored : stored.slice(messagesOnly.length);

/** What was sealed, as an administrator reads it. */
export function openedOf(text: string): {
  content: JsonValue;
  providerMessages: ProviderMessage[];
} {
  const { providerMessages = [], ...content } = JSON.parse(text) as JsonObject & {
    providerMessages?: ProviderMessage[];
  };
  return { content: Object.keys(content).length === 0 ? null : content, providerMessages };
}

/** The JSON of request and answer. The text of `params` is written only where it is kept. */
export function captureOf(
  params: { characters: number; text: () => string },
  result: readonly Block[] | null,
  secrets: "mask" | "keep" = "mask",
): string {
  const kept = (json: string): string =>
    secrets === "keep" ? json : JSON.stringify(maskValue(JSON.parse(json) as JsonValue));
  const wholeOf = (text: string): string => `{"params":${text},"result":${JSON.stringify(result)}}`;
  const characters = wholeOf("").length + params.characters;
  if (characters <= mostCapturedCharacters) {
    const masked = kept(wholeOf(params.text()));
    if (masked.length <= mostCapturedCharacters) return masked;
  }
  const texts = (result ?? []).map((block) =>
    block.type === "image" || block.type === "audio"
      ? { type: block.type, mimeType: block.mimeType, omittedCharacters: block.data.length }
      : block,
  );
  const bare = JSON.stringify(texts);
  const masked = bare.length <= mostCapturedCharacters ? kept(bare) : "";
  return JSON.stringify({
    params: null,
    omittedCharacters: characters,
    result:
      masked !== "" && masked.length <= mostCapturedCharacters
        ? (JSON.parse(masked) as JsonValue)
        : null,
  });
}
