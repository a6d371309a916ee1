/**
 * Signed notices of deleted or re-sealed records. Without one, a leaf without a record was erased by an
 * attacker.
 */
import type { NumberRange } from "./number-ranges.ts";

/** `correction`, `late_end`: sealed again with the operator's figures, or with the late result. */
export const deletionReasons = ["retention", "space", "correction", "late_end"] as const;
export type DeletionReason = (typeof deletionReasons)[number];

export interface DeletionNotice {
  version: 1;
  tenantId: string;
  seal: number;
  statement: string;
  positions: NumberRange[];
  reason: DeletionReason;
  /** ms; `retention` deletes only older records; null for other reasons */
  createdBefore: number | null;
  at: number;
  keyId: string;
  signature: string;
}

export interface EmptiedPosition {
  seal: number;
  position: number;
  tenantId: string;
  id: string;
  reason: DeletionReason;
  createdBefore: number | null;
}
