/** What a call asks for, as its record and its idempotency key know it: hashed and measured, and not kept as a text. */
import type { JsonValue } from "../../../domain/json.ts";
import { jsonPieces } from "../../../domain/json-pieces.ts";

export interface RequestContent {
  /** hex SHA-256 of the text */
  sha256: string;
  /** of the text, in UTF-8 */
  bytes: number;
  characters: number;
  /** the JSON, written anew each time */
  text: () => string;
}

/** A hash that takes its bytes one piece after the other. */
export interface PiecewiseHash {
  add(piece: Uint8Array<ArrayBuffer>): void;
  hex(): Promise<string>;
}

export type DigestContent = (content: JsonValue) => Promise<RequestContent>;

const encoder = new TextEncoder();

/** @param pause lets others work; a large content is read for tens of milliseconds */
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
