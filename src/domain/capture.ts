/** What a policy that captures keeps of one call: all of it, or how large it was. */
import type { Block } from "./sampling.ts";

/** D1 takes 2 MB a row; sealing adds a third, and other scripts are up to three bytes a character. */
export const mostCapturedCharacters = 400_000;

/** JSON. `params` is JSON already, as it came. */
export function captureOf(params: string, result: readonly Block[] | null): string {
  const whole = `{"params":${params},"result":${JSON.stringify(result)}}`;
  if (whole.length <= mostCapturedCharacters) return whole;
  const texts = (result ?? []).map((block) =>
    block.type === "image" || block.type === "audio"
      ? { type: block.type, mimeType: block.mimeType, omittedCharacters: block.data.length }
      : block,
  );
  const bare = JSON.stringify(texts);
  return JSON.stringify({
    params: null,
    omittedCharacters: whole.length,
    result: bare.length <= mostCapturedCharacters ? texts : null,
  });
}
