/**
 * Seals finished records, tenant by tenant. Cut off or run twice, the job seals nothing twice: a seal and its
 * records' places are one transaction, which takes effect only on the chain that the seal was made for.
 */
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { AdminEvent } from "../../../domain/admin-event.ts";
import { canonicalJson } from "../../../domain/canonical.ts";
import { err, ok } from "../../../domain/result.ts";
import type { EmptiedPlace } from "../../../domain/audit/deletion-notices.ts";
import { isIn } from "../../../domain/audit/number-ranges.ts";
import type { Checked, Tampering } from "../../../domain/audit/seal-check.ts";
import {
  mostSealed,
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

/** ms. Calls that ended more recently are left for the next run, so that seals hold more than one record each. */
export const sealAfterMs = 5_000;
/** Longer than a run takes. */
const turnMs = 60_000;
/** Seals of one round: ten statements each at most, and a Worker may ask 1,000 times in one invocation. */
const sealsPerRound = 14;
/** Pages of tenants of one round. Most calls of a page's tenants may have ended too recently. */
const pagesPerRound = 8;

/** How many tenants without anything to seal are checked for missing records in one run. */
const watchedPerRun = 5;
const watchJob = "seal-watch";
/** A seal names everything that was found. The log of events has only so much of it. */
const mostLogged = 20;

/** Tries, since another run may have sealed meanwhile. Then the rest is read again. */
const tries = 3;
const retryAfterMs = 1_000;

const eventOf = (
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
    tampered: finding.tampered.slice(0, mostLogged).map((each) => ({ ...each })),
    found: finding.tampered.length,
  },
});

/** Makes the next seal of a chain. */
async function sealOf(
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
  const moments = createdAts.length > 0 ? createdAts : [sealedAt];
  const statement: Statement = {
    version: 1,
    tenantId,
    number: (head?.number ?? 0) + 1,
    previous: head === null ? noPrevious : await hashing.of(canonicalJson(statementOf(head))),
    root: await hashing.leafOf(canonicalJson(checked)),
    count: records.length,
    firstCreatedAt: Math.min(...moments),
    lastCreatedAt: Math.max(...moments),
    sealedAt,
    keyId: signer.key.id,
  };
  const signature = await signer.sign(signedText("seal", statement));
  return { ...statement, signature, checked, leaves: hashing.pack(leaves), deletions: null };
}

/** Records whose seals were cut off have no place in the chain any more, so they wait to be sealed again. */
async function reopened(
  deps: SealDeps,
  tenantId: string,
  { after, last }: { after: number; last: number },
): AsyncResult<Tampering> {
  const cut: Tampering = { what: "seals", first: after + 1, last };
  const event = eventOf(deps, { tenantId, number: after + 1, tampered: [cut] });
  const done = await deps.seals.reopen(tenantId, after, event);
  return done.ok ? ok(cut) : done;
}

/**
 * The places that records leave which are sealed again. Only a record that the seal itself counts as `replaced` had such
 * a place; a row alone could name any place.
 */
function leftPlaces(
  tenantId: string,
  records: readonly WaitingRecord[],
  replaced: Checked["replaced"],
): EmptiedPlace[] {
  return records.flatMap(({ record: { id, correction }, former }, at) =>
    former === null || !isIn(replaced, at)
      ? []
      : [
          {
            tenantId,
            id,
            ...former,
            reason: correction === null ? ("late_end" as const) : ("correction" as const),
            createdBefore: null,
          },
        ],
  );
}

async function trySeal(
  deps: SealDeps,
  tenantId: string,
  before: number,
): AsyncResult<number | null> {
  const { seals, signer, log } = deps;
  let waiting = await seals.waiting(tenantId, before, mostSealed);
  if (!waiting.ok) return waiting;
  const found: Tampering[] = [];
  const { lastPlace, head: newest } = waiting.value;
  if (lastPlace > (newest?.number ?? 0)) {
    const cut = await reopened(deps, tenantId, { after: newest?.number ?? 0, last: lastPlace });
    if (!cut.ok) return cut;
    found.push(cut.value);
    waiting = await seals.waiting(tenantId, before, mostSealed);
    if (!waiting.ok) return waiting;
  }
  const { head, records } = waiting.value;
  const checked = await checkWaiting(deps, waiting.value, found);
  if (!checked.ok) return checked;
  const { tampered, replaced } = checked.value;
  if (records.length === 0 && tampered.length === 0) return ok(0);
  const notices = await signedNotices(deps, leftPlaces(tenantId, records, replaced));
  if (!notices.ok) return notices;
  const seal = await sealOf(deps, { tenantId, head, records, checked: checked.value });
  const { number } = seal;
  const appended = await seals.append(
    seal,
    records.map(({ record }) => record),
    {
      key: await withCode(deps, signer.key),
      notices: notices.value,
      event: tampered.length === 0 ? null : eventOf(deps, { tenantId, number, tampered }),
    },
  );
  if (!appended.ok) return appended;
  if (!appended.value) return ok(null);
  if (tampered.length > 0)
    log({ event: "audit.tampered", tenantId, seal: number, found: tampered.length });
  return ok(records.length);
}

/** Makes one seal, of calls that ended at `before` or earlier. Returns how many records it holds. */
export async function sealOnce(
  deps: SealDeps,
  tenantId: string,
  before: number,
): AsyncResult<number> {
  for (let count = 0; count < tries; count += 1) {
    const sealed = await trySeal(deps, tenantId, before);
    if (!sealed.ok) return sealed;
    if (sealed.value !== null) return ok(sealed.value);
  }
  return err({ reason: "unavailable", retryAfterMs });
}

/**
 * Checks some tenants that have nothing to seal, because somebody may have deleted what they had. Returns how many records
 * were sealed after all.
 */
async function watch(deps: SealDeps, already: ReadonlySet<string>): AsyncResult<number> {
  const { seals, now } = deps;
  const cursor = await seals.cursor(watchJob);
  if (!cursor.ok) return cursor;
  const found = await seals.numberedTenants(cursor.value, watchedPerRun);
  if (!found.ok) return found;
  let sealed = 0;
  for (const tenantId of found.value) {
    if (already.has(tenantId)) continue;
    const done = await sealOnce(deps, tenantId, now() - sealAfterMs);
    sealed += done.ok ? done.value : 0;
  }
  const last = found.value.length < watchedPerRun ? "" : (found.value.at(-1) ?? "");
  const kept = last === cursor.value ? ok(null) : await seals.keepCursor(watchJob, last);
  return kept.ok ? ok(sealed) : kept;
}

/** Seals for the tenants of one page. Returns how many records were sealed. */
async function sealPage(deps: SealDeps, tenantIds: readonly string[]): Promise<number> {
  // A tenant with more to seal gets another turn after the other tenants.
  const queue = [...tenantIds];
  let sealed = 0;
  for (let left = sealsPerRound; left > 0; left -= 1) {
    const tenantId = queue.shift();
    if (tenantId === undefined) break;
    const done = await sealOnce(deps, tenantId, deps.now() - sealAfterMs);
    // A failure of one tenant stops no other, and the next run tries again.
    if (!done.ok) continue;
    sealed += done.value;
    if (done.value === mostSealed) queue.push(tenantId);
  }
  return sealed;
}

/** One round over tenants that have something to seal, going on where the last round stopped. */
export const createSealJob = (deps: SealDeps) => async (): AsyncResult<number> => {
  const { seals, now } = deps;
  const turn = await seals.claim(now(), now() + turnMs);
  if (!turn.ok) return turn;
  if (turn.value === null) return ok(0);
  let { cursor } = turn.value;
  let sealed = 0;
  for (let pages = pagesPerRound; pages > 0 && sealed === 0; pages -= 1) {
    const found = await seals.waitingTenants(cursor, sealsPerRound);
    if (!found.ok) return found;
    sealed = await sealPage(deps, found.value);
    const isLast = found.value.length < sealsPerRound;
    if (isLast) {
      // Once for each pass over all tenants.
      const watched = await watch(deps, new Set(found.value));
      if (!watched.ok) return watched;
      sealed += watched.value;
      if (cursor === "") break;
    }
    cursor = isLast ? "" : (found.value.at(-1) ?? "");
  }
  const released = await seals.release(cursor);
  return released.ok ? ok(sealed) : released;
};
