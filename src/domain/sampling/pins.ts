/** Signed thinking, sealed reasoning and stored responses go back to the credential whose account can read them. */
import { createBoundedMap } from "../bounded-map.ts";

export interface Pins {
  of(marks: readonly string[]): string | null;
  note(marks: readonly string[], credentialId: string): void;
}

/** Characters of a mark. The ends of signatures are random; their beginnings are not. */
const keyLength = 48;
const keyOf = (mark: string): string => mark.slice(-keyLength);

export function createPins(capacity: number): Pins {
  const credentials = createBoundedMap<string, string>(capacity);
  return {
    of(marks) {
      // The last one counts: a conversation that has moved goes on where it is by now.
      const found = marks.findLast((mark) => credentials.get(keyOf(mark)) !== undefined);
      return found === undefined ? null : (credentials.use(keyOf(found)) ?? null);
    },
    note(marks, credentialId) {
      for (const mark of marks) if (mark !== "") credentials.set(keyOf(mark), credentialId);
    },
  };
}
