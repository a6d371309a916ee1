/** A message's id as rows know it. Its sender chooses how long an id is, and rows live on, so a long id is digested. */

const mostCharacters = 200;

/** The text itself, or its digest where it is longer than any ordinary id. No JSON looks like a digest. */
export async function messageKey(
  { sha256Hex }: { sha256Hex: (bytes: Uint8Array<ArrayBuffer>) => Promise<string> },
  text: string,
): Promise<string> {
  return text.length <= mostCharacters
    ? text
    : `sha256:${await sha256Hex(new TextEncoder().encode(text))}`;
}
