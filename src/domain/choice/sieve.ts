/** Which models of a field can serve a request, and which of those only a hint may choose. */
import { exclusionOf, standsAside, type Field } from "./field.ts";
import type { Narrowed } from "./hints.ts";
import { exclusionReasons, type ExclusionReason } from "../requirements.ts";
import type { Sought } from "./sought.ts";

const codes = new Map(exclusionReasons.map((reason, at) => [reason, at + 1]));
const codeOf = (reason: ExclusionReason): number => codes.get(reason) ?? 0;
const previewCode = codeOf("preview");

export const reasonOf = (code: number | undefined): ExclusionReason | undefined =>
  exclusionReasons[(code ?? 0) - 1];

/** By position in the field. */
export interface Sieved {
  /** why it is out; 0: it is feasible, else the reason's place and one */
  out: Uint8Array;
  /** why a feasible one is left alone unless a hint names it; 0: it is not */
  aside: Uint8Array;
}

export function sieve({ entries, policy }: Field, sought: Sought): Sieved {
  const out = new Uint8Array(entries.length);
  const aside = new Uint8Array(entries.length);
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at];
    if (entry === undefined) continue;
    const excludedBy = exclusionOf(entry, sought, policy.bounds);
    if (excludedBy !== null) {
      out[at] = codeOf(excludedBy);
      continue;
    }
    const left = standsAside(entry, policy, sought);
    if (left !== null) aside[at] = codeOf(left);
  }
  return { out, aside };
}

/**
 * Leaves out what stands aside: all but what a hint prefers, or previews if there is nothing else.
 * Gives the positions of what stays, ascending.
 */
export function settleAsides({ out, aside }: Sieved, { levels }: Narrowed): Uint32Array {
  const positions = new Uint32Array(out.length);
  const stay = (admitted: number): number => {
    let count = 0;
    for (let at = 0; at < out.length; at += 1) {
      if (out[at] !== 0) continue;
      const code = aside[at] ?? 0;
      if (code === 0 || code === admitted || (levels?.[at] ?? 0) !== 0) positions[count++] = at;
    }
    return count;
  };
  let admitted = 0;
  let count = stay(admitted);
  if (count === 0) {
    admitted = previewCode;
    count = stay(admitted);
  }
  for (let at = 0; at < out.length; at += 1) {
    const code = aside[at] ?? 0;
    if (code !== 0 && code !== admitted && (levels?.[at] ?? 0) === 0) out[at] = code;
  }
  return positions.subarray(0, count);
}
