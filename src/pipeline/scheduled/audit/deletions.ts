/** Each deletion is one transaction with a signed notice in the chain. */
import type { DeletionNotice, EmptiedPosition } from "../../../domain/audit/deletion-notices.ts";
import { noticesFor } from "../../../domain/audit/emptied-positions.ts";
import { signedText } from "../../../domain/audit/seals.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { ok } from "../../../domain/result.ts";
import { withCode, type AuditKeyDeps } from "./audit-keys.ts";

export type DeletionDeps = Pick<AuditKeyDeps, "seals" | "hashing" | "signer" | "keyMac" | "now">;

/** Notices per transaction: a Durable Object limits parameters to 2 MB, and signing takes time. */
const maxSeals = 500;

export async function signedNotices(
  { seals, hashing, signer, now }: DeletionDeps,
  positions: readonly EmptiedPosition[],
): AsyncResult<DeletionNotice[]> {
  if (positions.length === 0) return ok([]);
  const found = await seals.sealsAt(positions);
  if (!found.ok) return found;
  const beside = { seals: found.value, hashing, at: now(), keyId: signer.key.id };
  const notices = await noticesFor(positions, beside);
  return ok(
    await Promise.all(
      notices.map(async (notice) => ({
        ...notice,
        signature: await signer.sign(signedText("deletion", notice)),
      })),
    ),
  );
}

function inFewSeals(positions: readonly EmptiedPosition[]): EmptiedPosition[] {
  const seen = new Set<string>();
  return positions.filter(({ tenantId, seal }) => seen.add(`${tenantId} ${seal}`).size <= maxSeals);
}

/** A key must be stored before it signs, so that copies of the database stay verifiable. */
async function keepOwnKey(deps: DeletionDeps): AsyncResult<null> {
  const { seals, signer, now } = deps;
  const kept = await seals.keys();
  if (!kept.ok) return kept;
  const { id, publicKey } = signer.key;
  if (kept.value.some((key) => key.id === id && key.publicKey === publicKey)) return ok(null);
  return seals.keepKeys([await withCode(deps, signer.key)], now());
}

async function deletePlaces(
  deps: DeletionDeps,
  found: readonly EmptiedPosition[],
): AsyncResult<number> {
  const positions = inFewSeals(found);
  if (positions.length === 0) return ok(0);
  const kept = await keepOwnKey(deps);
  if (!kept.ok) return kept;
  const notices = await signedNotices(deps, positions);
  return notices.ok ? deps.seals.deleteSealed(positions, notices.value) : notices;
}

export const createRetentionJob =
  (
    deps: DeletionDeps & {
      requests: { pruneContents: (now: number) => AsyncResult<number> };
    },
  ) =>
  async (): AsyncResult<number> => {
    const contents = await deps.requests.pruneContents(deps.now());
    if (!contents.ok) return contents;
    const aged = await deps.seals.aged(deps.now());
    if (!aged.ok) return aged;
    const deleted = await deletePlaces(deps, aged.value);
    return deleted.ok ? ok(contents.value + deleted.value) : deleted;
  };

export async function deleteOldestRecords(deps: DeletionDeps): AsyncResult<number> {
  const oldest = await deps.seals.oldest();
  return oldest.ok ? deletePlaces(deps, oldest.value) : oldest;
}
