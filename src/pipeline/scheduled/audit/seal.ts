/** Idempotent: one transaction writes a seal and its records' positions, only if the head of the chain is unchanged. */
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { AdminEvent } from "../../../domain/admin-event.ts";
import { canonicalJson } from "../../../domain/canonical.ts";
import { err, ok } from "../../../domain/result.ts";
import type { EmptiedPosition } from "../../../domain/audit/deletion-notices.ts";
import { isIn } from "../../../domain/audit/number-ranges.ts";
import type { Checked, Tampering } from "../../../domain/audit/seal-check.ts";
import {
  maxPerSeal,
  noPrevious,
  sealedRecord,
  signedText,
  statementOf,
  type Statement,
  type StoredSeal,
  type WaitingRecord,
} from "../../../domain/audit/seals.ts";
import { withCode } from "./audit-keys.ts";
import { signedNotices } from "./deletions.ts";
import { checkWaiting, type SealDeps } from "./seal-check.ts";

export type { SealDeps };

/** ms. Calls that ended more recently wait for the next run, so that a seal has several records. */
export const sealAfterMs = 5_000;
/** Longer than a run takes. */
const leaseMs = 60_000;
/** At most ten statements per seal; a Worker may send 1,000 requests per invocation. */
const sealsPerRound = 14;
/** Several, because all calls on a page may have ended too recently. */
const pagesPerRound = 8;

const idleTenantsPerRun = 5;
const idleCheckJob = "seal-watch";
/** Findings listed in an event. The seal lists all of them. */
const maxListed = 20;

/** A concurrent run may append a seal first. */
const maxTries = 3;
const retryAfterMs = 1_000;

const tamperingEvent = (
  { ids, now }: SealDeps,
  finding: { tenantId: string; number: number; tampered: readonly Tampering[] },
): AdminEvent => ({
  id: ids.next("event"),
  at: now(),
  actor: "router",
  action: "audit.tampered",
  tenantId: finding.tenantId,
  target: String(finding.number),
  detail: {
    seal: finding.number,
    tampered: finding.tampered.slice(0, maxListed).map((each) => ({ ...each })),
    found: finding.tampered.length,
  },
});

async function createSeal(
  { hashing, signer, now }: SealDeps,
  parts: {
    tenantId: string;
    head: StoredSeal | null;
    records: readonly WaitingRecord[];
    checked: Omit<Checked, "tree">;
  },
) {
  const { tenantId, head, records } = parts;
  const leaves = await Promise.all(
    records.map(({ record }) => hashing.leafOf(canonicalJson(sealedRecord(record)))),
  );
  const sealedAt = now();
  const checked: Checked = { tree: await hashing.rootOf(leaves), ...parts.checked };
  const createdAts = records.map(({ record }) => record.createdAt);
  const times = createdAts.length > 0 ? createdAts : [sealedAt];
  const statement: Statement = {
    version: 1,
    tenantId,
    number: (head?.number ?? 0) + 1,
    previous: head === null ? noPrevious : await hashing.of(canonicalJson(statementOf(head))),
    root: await hashing.leafOf(canonicalJson(checked)),
    count: records.length,
    firstCreatedAt: Math.min(...times),
    lastCreatedAt: Math.max(...times),
    sealedAt,
    keyId: signer.key.id,
  };
  const signature = await signer.sign(signedText("seal", statement));
  return { ...statement, signature, checked, leaves: hashing.pack(leaves), deletions: null };
}

async function reopenAfter(
  deps: SealDeps,
  tenantId: string,
  { after, last }: { after: number; last: number },
): AsyncResult<Tampering> {
  const missingSeals: Tampering = { what: "seals", first: after + 1, last };
  const event = tamperingEvent(deps, { tenantId, number: after + 1, tampered: [missingSeals] });
  const done = await deps.seals.reopen(tenantId, after, event);
  return done.ok ? ok(missingSeals) : done;
}

/** Previous positions of records that are sealed again. Trusts the new seal's check: a row could claim any position. */
function previousPositions(
  tenantId: string,
  records: readonly WaitingRecord[],
  replaced: Checked["replaced"],
): EmptiedPosition[] {
  return records.flatMap(({ record: { id, correction }, previousPosition }, at) =>
    previousPosition === null || !isIn(replaced, at)
      ? []
      : [
          {
            tenantId,
            id,
            ...previousPosition,
            reason: correction === null ? ("late_end" as const) : ("correction" as const),
            createdBefore: null,
          },
        ],
  );
}

async function trySeal(
  deps: SealDeps,
  tenantId: string,
  endedBefore: number,
): AsyncResult<number | null> {
  const { seals, signer, log } = deps;
  let waiting = await seals.waiting(tenantId, endedBefore, maxPerSeal);
  if (!waiting.ok) return waiting;
  const found: Tampering[] = [];
  const { highestSealInRows, head: newest } = waiting.value;
  if (highestSealInRows > (newest?.number ?? 0)) {
    const missingSeals = await reopenAfter(deps, tenantId, {
      after: newest?.number ?? 0,
      last: highestSealInRows,
    });
    if (!missingSeals.ok) return missingSeals;
    found.push(missingSeals.value);
    waiting = await seals.waiting(tenantId, endedBefore, maxPerSeal);
    if (!waiting.ok) return waiting;
  }
  const { head, records } = waiting.value;
  const checked = await checkWaiting(deps, waiting.value, found);
  if (!checked.ok) return checked;
  const { tampered, replaced } = checked.value;
  if (records.length === 0 && tampered.length === 0) return ok(0);
  const notices = await signedNotices(deps, previousPositions(tenantId, records, replaced));
  if (!notices.ok) return notices;
  const seal = await createSeal(deps, { tenantId, head, records, checked: checked.value });
  const { number } = seal;
  const appended = await seals.append(
    seal,
    records.map(({ record }) => record),
    {
      key: await withCode(deps, signer.key),
      notices: notices.value,
      event: tampered.length === 0 ? null : tamperingEvent(deps, { tenantId, number, tampered }),
    },
  );
  if (!appended.ok) return appended;
  if (!appended.value) return ok(null);
  if (tampered.length > 0)
    log({ event: "audit.tampered", tenantId, seal: number, found: tampered.length });
  return ok(records.length);
}

export async function sealOnce(
  deps: SealDeps,
  tenantId: string,
  endedBefore: number,
): AsyncResult<number> {
  for (let count = 0; count < maxTries; count += 1) {
    const sealed = await trySeal(deps, tenantId, endedBefore);
    if (!sealed.ok) return sealed;
    if (sealed.value !== null) return ok(sealed.value);
  }
  return err({ reason: "unavailable", retryAfterMs });
}

async function checkIdleTenants(
  deps: SealDeps,
  alreadySealed: ReadonlySet<string>,
): AsyncResult<number> {
  const { seals, now } = deps;
  const cursor = await seals.cursor(idleCheckJob);
  if (!cursor.ok) return cursor;
  const found = await seals.numberedTenants(cursor.value, idleTenantsPerRun);
  if (!found.ok) return found;
  let sealed = 0;
  for (const tenantId of found.value) {
    if (alreadySealed.has(tenantId)) continue;
    const done = await sealOnce(deps, tenantId, now() - sealAfterMs);
    sealed += done.ok ? done.value : 0;
  }
  const last = found.value.length < idleTenantsPerRun ? "" : (found.value.at(-1) ?? "");
  const kept = last === cursor.value ? ok(null) : await seals.keepCursor(idleCheckJob, last);
  return kept.ok ? ok(sealed) : kept;
}

async function sealPage(deps: SealDeps, tenantIds: readonly string[]): Promise<number> {
  // Tenants with more to seal go to the end of the queue.
  const queue = [...tenantIds];
  let sealed = 0;
  for (let remaining = sealsPerRound; remaining > 0; remaining -= 1) {
    const tenantId = queue.shift();
    if (tenantId === undefined) break;
    const done = await sealOnce(deps, tenantId, deps.now() - sealAfterMs);
    if (!done.ok) continue;
    sealed += done.value;
    if (done.value === maxPerSeal) queue.push(tenantId);
  }
  return sealed;
}

export const createSealJob = (deps: SealDeps) => async (): AsyncResult<number> => {
  const { seals, now } = deps;
  const lease = await seals.claim(now(), now() + leaseMs);
  if (!lease.ok) return lease;
  if (lease.value === null) return ok(0);
  let { cursor } = lease.value;
  let sealed = 0;
  for (let pages = pagesPerRound; pages > 0 && sealed === 0; pages -= 1) {
    const found = await seals.waitingTenants(cursor, sealsPerRound);
    if (!found.ok) return found;
    sealed = await sealPage(deps, found.value);
    const isLast = found.value.length < sealsPerRound;
    if (isLast) {
      const checked = await checkIdleTenants(deps, new Set(found.value));
      if (!checked.ok) return checked;
      sealed += checked.value;
      if (cursor === "") break;
    }
    cursor = isLast ? "" : (found.value.at(-1) ?? "");
  }
  const released = await seals.release(cursor);
  return released.ok ? ok(sealed) : released;
};
