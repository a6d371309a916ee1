import { exclusionOf, hintOnlyReason } from "./exclusion.ts";
import type { ModelPool } from "./model-pool.ts";
import type { Narrowed } from "./hints.ts";
import { exclusionReasons, type ExclusionReason } from "../requirements.ts";
import type { CompiledRequirements } from "./compiled-requirements.ts";

const codes = new Map(exclusionReasons.map((reason, at) => [reason, at + 1]));
const codeOf = (reason: ExclusionReason): number => codes.get(reason) ?? 0;
/** Hint requirements that are waived, in this order, if no other model is feasible. */
const waivable = [codeOf("preview"), codeOf("unknown_price")];

export const reasonOf = (code: number | undefined): ExclusionReason | undefined =>
  exclusionReasons[(code ?? 0) - 1];

export interface Feasibility {
  exclusions: Uint8Array;
  hintOnly: Uint8Array;
}

export function feasibilityOf(
  { ranked, policy }: ModelPool,
  compiled: CompiledRequirements,
): Feasibility {
  const exclusions = new Uint8Array(ranked.length);
  const hintOnly = new Uint8Array(ranked.length);
  for (let at = 0; at < ranked.length; at += 1) {
    const entry = ranked[at];
    if (entry === undefined) continue;
    const excludedBy = exclusionOf(entry, compiled, policy.bounds);
    if (excludedBy !== null) {
      exclusions[at] = codeOf(excludedBy);
      continue;
    }
    const reason =
      compiled.needs.model === undefined ? hintOnlyReason(entry, policy, compiled) : null;
    if (reason !== null) hintOnly[at] = codeOf(reason);
  }
  return { exclusions, hintOnly };
}

/** Positions of the feasible models, ascending. Writes unmet hint requirements into `exclusions`. */
export function feasibleOf({ exclusions, hintOnly }: Feasibility, { levels }: Narrowed): number[] {
  const positionsWith = (waived: number): number[] => {
    const positions: number[] = [];
    for (let at = 0; at < exclusions.length; at += 1) {
      if (exclusions[at] !== 0) continue;
      const code = hintOnly[at] ?? 0;
      if (code === 0 || code === waived || (levels?.[at] ?? 0) !== 0) positions.push(at);
    }
    return positions;
  };
  let waived = 0;
  let positions = positionsWith(waived);
  for (const code of waivable) {
    if (positions.length > 0) break;
    waived = code;
    positions = positionsWith(waived);
  }
  for (let at = 0; at < exclusions.length; at += 1) {
    const code = hintOnly[at] ?? 0;
    if (code !== 0 && code !== waived && (levels?.[at] ?? 0) === 0) exclusions[at] = code;
  }
  return positions;
}
