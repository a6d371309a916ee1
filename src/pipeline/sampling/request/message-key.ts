/**
 * A message's id as rows hold it. A sender chooses how long an id is, and rows live on, so a long id is
 * digested.
 */

const mostCharacters = 200;

/** The id's text, or a digest where the text is longer than any ordinary id. No JSON looks like a digest. */
export async function messageKey(
  { sha256Hex }: { sha256Hex: (content: string | Uint8Array<ArrayBuffer>) => Promise<string> },
  text: string,
): Promise<string> {
  return text.length <= mostCharacters ? text : `sha256:${await sha256Hex(text)}`;
}
