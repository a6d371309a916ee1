/**
 * Signed notices of sealed records that are no longer where their seal put them: deleted by the router, or sealed
 * again. A leaf without its record and without such a notice was erased by somebody else.
 */
import type { NumberRange } from "./number-ranges.ts";

/** `correction` and `late_end`: the record is sealed again, with an operator's figures or with its end. */
export const deletionReasons = ["retention", "space", "correction", "late_end"] as const;
export type DeletionReason = (typeof deletionReasons)[number];

export interface DeletionNotice {
  version: 1;
  tenantId: string;
  /** number of the seal that the records are in */
  seal: number;
  /** hash of that seal's canonical statement */
  statement: string;
  /** positions in that seal */
  positions: NumberRange[];
  reason: DeletionReason;
  /** ms; `retention` deletes only records created before it; null: another reason */
  createdBefore: number | null;
  /** ms */
  at: number;
  keyId: string;
  /** Ed25519, base64url */
  signature: string;
}

/** A sealed record's place that becomes empty. */
export interface EmptiedPlace {
  /** number of the seal */
  seal: number;
  /** from 0 */
  position: number;
  tenantId: string;
  id: string;
  reason: DeletionReason;
  createdBefore: number | null;
}
