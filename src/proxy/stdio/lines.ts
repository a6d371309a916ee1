/** Lines of a stream of bytes. Each keeps its own end, so that what passes is what came. */

const newline = 10;

export interface Lines {
  /** The lines that are whole now, each with its end. */
  push(bytes: Uint8Array): Uint8Array<ArrayBuffer>[];
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

export function createLines(): Lines {
  // Joined once a line is whole: a long line comes in many parts.
  let begun: Uint8Array[] = [];
  return {
    push(bytes) {
      const whole: Uint8Array<ArrayBuffer>[] = [];
      let from = 0;
      for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, from)) {
        whole.push(joined([...begun, bytes.subarray(from, end + 1)]));
        begun = [];
        from = end + 1;
      }
      if (from < bytes.length) begun.push(bytes.subarray(from));
      return whole;
    },
    rest() {
      const left = joined(begun);
      begun = [];
      return left;
    },
  };
}
