/**
 * Counts the structure of JSON before parsing. The attack: 12 MB of brackets or keys block parsers, and all
 * tenants, for seconds.
 */
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const isOpening = (c: number): boolean => c === 0x5b || c === 0x7b;
const isClosing = (c: number): boolean => c === 0x5d || c === 0x7d;

/** Members and elements in total, about 30 ms of CPU; more than any real schema or tool has. */
export const maxMembers = 50_000;

export interface StructureCounter {
  /** Returns what is wrong so far. */
  push(bytes: Uint8Array): string | null;
}

/** Counts chunks without validating JSON. */
export function createStructureCounter(maxLevels: number): StructureCounter {
  let depth = 0;
  let members = 0;
  let inText = false;
  /** the text so far ends in an odd number of backslashes */
  let isEscaped = false;

  const textEnd = (bytes: Uint8Array, from: number): number => {
    let at = from;
    if (isEscaped && at < bytes.length) at += 1;
    isEscaped = false;
    for (;;) {
      const end = bytes.indexOf(quote, at);
      let escapes = 0;
      for (let i = (end === -1 ? bytes.length : end) - 1; i >= at && bytes[i] === backslash; i--)
        escapes += 1;
      if (end === -1) {
        isEscaped = escapes % 2 === 1;
        return bytes.length;
      }
      if (escapes % 2 === 0) {
        inText = false;
        return end + 1;
      }
      at = end + 1;
    }
  };

  return {
    push(bytes) {
      let at = 0;
      while (at < bytes.length) {
        if (inText) {
          at = textEnd(bytes, at);
          continue;
        }
        const c = bytes[at] as number;
        at += 1;
        if (c === quote) inText = true;
        else if (isOpening(c)) {
          depth += 1;
          members += 1;
        } else if (isClosing(c)) depth -= 1;
        else if (c === comma) members += 1;
        if (depth > maxLevels) return `Nested deeper than ${maxLevels} levels.`;
        if (members > maxMembers) return `Has more than ${maxMembers} members and elements.`;
      }
      return null;
    },
  };
}

/** Each level, member, and element takes at least a byte. */
export const structureFault = (bytes: Uint8Array, maxLevels: number): string | null =>
  bytes.byteLength <= Math.min(maxLevels, maxMembers)
    ? null
    : createStructureCounter(maxLevels).push(bytes);
