import { canonicalJson } from "../canonical.ts";
import type { DeletionNotice, EmptiedPosition } from "./deletion-notices.ts";
import { isIn, rangesOf } from "./number-ranges.ts";
import { statementOf, type Hashing, type Seal, type Statement } from "./seals.ts";

/** Notices to sign: one per seal, reason and retention limit. */
export async function noticesFor(
  places: readonly EmptiedPosition[],
  beside: { seals: readonly Seal[]; hashing: Hashing; at: number; keyId: string },
): Promise<Omit<DeletionNotice, "signature">[]> {
  const groups = Map.groupBy(
    places,
    ({ tenantId, seal, reason, createdBefore }) =>
      `${tenantId} ${seal} ${reason} ${createdBefore ?? ""}`,
  );
  const notices: Omit<DeletionNotice, "signature">[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    const seal = beside.seals.find(
      (each) => each.tenantId === first?.tenantId && each.number === first.seal,
    );
    // A record without a seal has no leaf, so no notice is needed.
    if (first === undefined || seal === undefined) continue;
    notices.push({
      version: 1,
      tenantId: first.tenantId,
      seal: first.seal,
      statement: await beside.hashing.of(canonicalJson(statementOf(seal))),
      positions: rangesOf(group.map(({ position }) => position)),
      reason: first.reason,
      createdBefore: first.createdBefore,
      at: beside.at,
      keyId: beside.keyId,
    });
  }
  return notices;
}

export const isAbout = (
  { tenantId, seal: number, statement, reason, createdBefore }: DeletionNotice,
  seal: Statement,
  hash: string,
): boolean =>
  tenantId === seal.tenantId &&
  number === seal.number &&
  statement === hash &&
  (reason !== "retention" || (createdBefore !== null && createdBefore > seal.firstCreatedAt));

export const unaccounted = (
  empty: readonly number[],
  notices: readonly DeletionNotice[],
): number[] =>
  empty.filter((position) => !notices.some(({ positions }) => isIn(positions, position)));
