/** Splits a byte stream into lines. Each keeps its line end, so that it passes unchanged. */

const newline = 10;

/** Longer than any message that a router accepts. */
export const maxLineBytes = 64 * 1024 * 1024;

export interface Piece {
  bytes: Uint8Array<ArrayBuffer>;
  /** false: part of a line that is too long to buffer */
  isLine: boolean;
}

export interface Lines {
  /** @returns complete lines, and parts of one that is too long */
  push(bytes: Uint8Array): Piece[];
  rest(): Uint8Array<ArrayBuffer>;
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function createLines(maxBytes = maxLineBytes): Lines {
  // Joined once, because a long line arrives in many parts.
  let begun: Uint8Array[] = [];
  let size = 0;
  let isTooLong = false;
  const take = (): Uint8Array<ArrayBuffer> => {
    const taken = joined(begun);
    begun = [];
    size = 0;
    return taken;
  };
  const hold = (bytes: Uint8Array): void => {
    begun.push(bytes);
    size += bytes.length;
  };
  return {
    push(bytes) {
      const pieces: Piece[] = [];
      let from = 0;
      for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, from)) {
        hold(bytes.subarray(from, end + 1));
        const isLine = !isTooLong && size <= maxBytes;
        pieces.push({ bytes: take(), isLine });
        isTooLong = false;
        from = end + 1;
      }
      if (from < bytes.length) hold(bytes.subarray(from));
      if (size > maxBytes) {
        isTooLong = true;
        pieces.push({ bytes: take(), isLine: false });
      }
      return pieces;
    },
    rest: take,
  };
}
