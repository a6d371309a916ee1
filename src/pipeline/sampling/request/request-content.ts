/** A request's content as its record and idempotency key know it: hash and size, not the text. */
import type { JsonValue } from "../../../domain/json.ts";
import { jsonPieces } from "../../../domain/json-pieces.ts";

export interface RequestContent {
  /** hex */
  sha256: string;
  /** UTF-8 */
  bytes: number;
  characters: number;
  /** serialized again on each call */
  text: () => string;
}

export interface PiecewiseHash {
  add(piece: Uint8Array<ArrayBuffer>): void;
  hex(): Promise<string>;
}

export type DigestContent = (content: JsonValue) => Promise<RequestContent>;

const encoder = new TextEncoder();

/** @param pause yields: large contents take tens of milliseconds */
export const createDigestContent =
  (deps: { startSha256: () => PiecewiseHash; pause: () => Promise<void> }): DigestContent =>
  async (content) => {
    const hash = deps.startSha256();
    let bytes = 0;
    let characters = 0;
    for (const piece of jsonPieces(content)) {
      if (characters > 0) await deps.pause();
      const encoded = encoder.encode(piece);
      hash.add(encoded);
      bytes += encoded.byteLength;
      characters += piece.length;
    }
    return { sha256: await hash.hex(), bytes, characters, text: () => JSON.stringify(content) };
  };
