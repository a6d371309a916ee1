import type { JsonObject, JsonValue } from "../json.ts";
import { maskValue } from "./masking.ts";
import type { Block } from "../sampling/call.ts";

/** A Durable Object row holds 2 MB. Sealing adds a third, and other scripts take up to three bytes per character. */
export const maxCapturedCharacters = 400_000;

/** The masked message of a failed attempt, at most 500 characters. */
export interface ProviderMessage {
  provider: string;
  model: string;
  message: string;
}

/** Prefix of a sealed text that holds only providers' messages; such a call is not captured. */
const messagesOnly = "messages:";

export const isCaptured = (stored: string | null): boolean =>
  stored !== null && !stored.startsWith(messagesOnly);
export const markCharacters = messagesOnly.length;

export function keptOf(
  captured: string | null,
  messages: readonly ProviderMessage[],
): string | null {
  if (messages.length === 0) return captured;
  const member = `"providerMessages":${JSON.stringify(messages)}}`;
  return captured === null ? `{${member}` : `${captured.slice(0, -1)},${member}`;
}

export const storedAs = (sealed: string, captured: string | null): string =>
  captured === null ? `${messagesOnly}${sealed}` : sealed;
export const sealedIn = (stored: string): string =>
  isCaptured(stored) ? stored : stored.slice(messagesOnly.length);

export function openedOf(text: string): {
  content: JsonValue;
  providerMessages: ProviderMessage[];
} {
  const { providerMessages = [], ...content } = JSON.parse(text) as JsonObject & {
    providerMessages?: ProviderMessage[];
  };
  return { content: Object.keys(content).length === 0 ? null : content, providerMessages };
}

export function captureOf(
  params: { characters: number; text: () => string },
  result: readonly Block[] | null,
  secrets: "mask" | "keep" = "mask",
): string {
  const kept = (json: string): string =>
    secrets === "keep" ? json : JSON.stringify(maskValue(JSON.parse(json) as JsonValue));
  const wholeOf = (text: string): string => `{"params":${text},"result":${JSON.stringify(result)}}`;
  const characters = wholeOf("").length + params.characters;
  if (characters <= maxCapturedCharacters) {
    const masked = kept(wholeOf(params.text()));
    if (masked.length <= maxCapturedCharacters) return masked;
  }
  const texts = (result ?? []).map((block) =>
    block.type === "image" || block.type === "audio"
      ? { type: block.type, mimeType: block.mimeType, omittedCharacters: block.data.length }
      : block,
  );
  const bare = JSON.stringify(texts);
  const masked = bare.length <= maxCapturedCharacters ? kept(bare) : "";
  return JSON.stringify({
    params: null,
    omittedCharacters: characters,
    result:
      masked !== "" && masked.length <= maxCapturedCharacters
        ? (JSON.parse(masked) as JsonValue)
        : null,
  });
}
