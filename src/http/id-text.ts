/** An id as rows know it: whoever sends it chooses how long it is, and rows live on. */
import type { Services } from "./context.ts";

const mostCharacters = 200;

/** The text itself, or its digest where it is longer than anybody's own; JSON never looks like one. */
export async function shortened(services: Services, text: string): Promise<string> {
  return text.length <= mostCharacters
    ? text
    : `sha256:${await services.sha256Hex(new TextEncoder().encode(text))}`;
}
