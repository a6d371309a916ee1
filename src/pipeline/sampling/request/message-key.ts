/** A message's id for storage. Long ids, which senders choose, are hashed. */

const maxCharacters = 200;

export async function messageKey(
  { sha256Hex }: { sha256Hex: (content: string | Uint8Array<ArrayBuffer>) => Promise<string> },
  text: string,
): Promise<string> {
  return text.length <= maxCharacters ? text : `sha256:${await sha256Hex(text)}`;
}
