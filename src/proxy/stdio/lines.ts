/** Lines of a stream of bytes. Each keeps its own end, so that what passes is what came. */

const newline = 10;

/** Longer than any message that a router takes. */
export const mostLineBytes = 64 * 1024 * 1024;

export interface Piece {
  bytes: Uint8Array<ArrayBuffer>;
  /** false: a part of a line that is too long to be held, and so is no message that anybody here reads */
  isLine: boolean;
}

export interface Lines {
  /** The lines that are whole now, each with its end, and parts of one that is too long. */
  push(bytes: Uint8Array): Piece[];
  /** What came after the last end; empty: nothing did. */
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

export function createLines(mostBytes = mostLineBytes): Lines {
  // Joined once a line is whole: a long line comes in many parts.
  let begun: Uint8Array[] = [];
  let size = 0;
  /** a part of the line that arrives has gone on already */
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
        const isLine = !isTooLong && size <= mostBytes;
        pieces.push({ bytes: take(), isLine });
        isTooLong = false;
        from = end + 1;
      }
      if (from < bytes.length) hold(bytes.subarray(from));
      if (size > mostBytes) {
        isTooLong = true;
        pieces.push({ bytes: take(), isLine: false });
      }
      return pieces;
    },
    rest: take,
  };
}
