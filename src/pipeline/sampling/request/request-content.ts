/** A request's content as its record and idempotency key know it: hash and size, not the text. */
import type { JsonValue } from "../../../domain/json.ts";
import { jsonPieces, shortJson } from "../../../domain/json-pieces.ts";

export interface RequestContent {
  sha256: string;
  /** UTF-8 */
  bytes: number;
  characters: number;
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
  (deps: {
    sha256Hex: (bytes: Uint8Array<ArrayBuffer>) => Promise<string>;
    startSha256: () => PiecewiseHash;
    pause: () => Promise<void>;
  }): DigestContent =>
  async (content) => {
    const text = (): string => JSON.stringify(content);
    const short = shortJson(content);
    if (short !== null) {
      const encoded = encoder.encode(short);
      const sha256 = await deps.sha256Hex(encoded);
      return { sha256, bytes: encoded.byteLength, characters: short.length, text };
    }
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
    return { sha256: await hash.hex(), bytes, characters, text };
  };
