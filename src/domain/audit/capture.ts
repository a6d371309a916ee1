/** What a policy that captures keeps of one call: all of it, or how large it was; secrets masked. */
import type { JsonObject, JsonValue } from "../json.ts";
import { maskValue } from "./masking.ts";
import type { Block } from "../sampling/call.ts";

/** D1 takes 2 MB a row; sealing adds a third, and other scripts are up to three bytes a character. */
export const mostCapturedCharacters = 400_000;

/** What a provider said of one failed attempt: masked, and 500 characters at most. */
export interface ProviderMessage {
  provider: string;
  model: string;
  message: string;
}

/** Stands before a sealed text that holds providers' messages alone: such a call is not captured. */
const messagesOnly = "messages:";

export const isCaptured = (stored: string | null): boolean =>
  stored !== null && !stored.startsWith(messagesOnly);
/** As many characters as `isCaptured` needs. */
export const markCharacters = messagesOnly.length;

/** The JSON to be sealed; null: nothing is kept. `captured`: of `captureOf`. */
export function keptOf(
  captured: string | null,
  messages: readonly ProviderMessage[],
): string | null {
  if (messages.length === 0) return captured;
  const member = `"providerMessages":${JSON.stringify(messages)}}`;
  return captured === null ? `{${member}` : `${captured.slice(0, -1)},${member}`;
}

/** How the sealed text is stored, and what of it is to be opened. */
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

/** JSON. `params` is JSON already, as it came. */
export function captureOf(
  params: string,
  result: readonly Block[] | null,
  secrets: "mask" | "keep" = "mask",
): string {
  const kept = (json: string): string =>
    secrets === "keep" ? json : JSON.stringify(maskValue(JSON.parse(json) as JsonValue));
  const whole = `{"params":${params},"result":${JSON.stringify(result)}}`;
  if (whole.length <= mostCapturedCharacters) {
    const masked = kept(whole);
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
    omittedCharacters: whole.length,
    result:
      masked !== "" && masked.length <= mostCapturedCharacters
        ? (JSON.parse(masked) as JsonValue)
        : null,
  });
}
