/** Compares an export with a chain head from an independent source, so that truncation is detected. */
import { canonicalJson } from "../canonical.ts";
import { statementOf, type ChainHead, type Hashing, type Statement } from "./seals.ts";

export type HeadVerdict =
  | { state: "unasked" }
  /** no head of this tenant, or its seal is not in the files */
  | { state: "unchecked"; why: string }
  | { state: "wrong"; why: string }
  | { state: "sound"; number: number };

export function createHeadCheck(hashing: Hashing, heads: readonly ChainHead[] | null) {
  let tenant: string | null = null;
  let last = 0;
  let found: boolean | null = null;
  const wanted = (): ChainHead | undefined => heads?.find((head) => head.tenant === tenant);
  return {
    async seal(seal: Statement): Promise<void> {
      tenant = seal.tenantId;
      last = Math.max(last, seal.number);
      const head = wanted();
      if (head?.number !== seal.number) return;
      found = head.hash === (await hashing.of(canonicalJson(statementOf(seal))));
    },

    /** @param read `isToEnd`: the files reach the end of the chain */
    verdict(read: { tenant: string | null; isToEnd: boolean }): HeadVerdict {
      if (heads === null) return { state: "unasked" };
      tenant = read.tenant ?? tenant;
      const head = wanted();
      if (head === undefined)
        return { state: "unchecked", why: "No head was given of this tenant's chain." };
      const { number } = head;
      if (found === true) return { state: "sound", number };
      if (found === false)
        return {
          state: "wrong",
          why: `Seal ${number} is another one than the head that was given.`,
        };
      if (read.isToEnd && last < number)
        return {
          state: "wrong",
          why: `The chain ends at seal ${last}; the head is seal ${number}.`,
        };
      return { state: "unchecked", why: `Seal ${number}, the head, is not in these files.` };
    },
  };
}
