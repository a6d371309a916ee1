/** What a policy that captures keeps of one call: all of it, or how large it was; secrets masked. */
import type { JsonValue } from "./json.ts";
import { maskValue } from "./masking.ts";
import type { Block } from "./sampling.ts";

/** D1 takes 2 MB a row; sealing adds a third, and other scripts are up to three bytes a character. */
export const mostCapturedCharacters = 400_000;

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
