/** WebCrypto, because browsers verify seals with it too. */
const encoder = new TextEncoder();

export const sha256 = async (
  text: string | Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(
    await crypto.subtle.digest("SHA-256", typeof text === "string" ? encoder.encode(text) : text),
  );
