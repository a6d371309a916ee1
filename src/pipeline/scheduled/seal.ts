/**
 * Seals finished records, tenant by tenant. Cut off or run twice, it seals nothing twice: a seal and the
 * places of its records are one transaction, which takes effect only on the chain it was made for.
 */
import type { Answer } from "../../domain/ports.ts";
import { canonicalJson } from "../../domain/canonical.ts";
import { err, ok } from "../../domain/result.ts";
import {
  mostSealed,
  noPrevious,
  sealedRecord,
  signedText,
  statementOf,
  type Hashing,
  type SealStore,
  type Signer,
  type Statement,
} from "../../domain/seals.ts";

/** What ended this recently is left for the next run, so that seals hold more than one record each. */
export const sealAfterMs = 5_000;
/** Longer than a run takes. */
const turnMs = 60_000;
/** Seals of one run: six statements each, and D1 takes 1,000 in one invocation with all its jobs. */
const sealsPerRun = 20;

export interface SealDeps {
  seals: SealStore;
  hashing: Hashing;
  signer: Signer;
  now: () => number;
}

/** Somebody else sealed meanwhile; what is left is read again. */
const tries = 3;
const retryAfterMs = 1_000;

async function trySeal(deps: SealDeps, tenantId: string, before: number): Answer<number | null> {
  const { seals, hashing, signer, now } = deps;
  const waiting = await seals.waiting(tenantId, before, mostSealed);
  if (!waiting.ok) return waiting;
  const { head, records } = waiting.value;
  if (records.length === 0) return ok(0);
  const leaves = await Promise.all(
    records.map((record) => hashing.leafOf(canonicalJson(sealedRecord(record)))),
  );
  const createdAts = records.map(({ createdAt }) => createdAt);
  const statement: Statement = {
    version: 1,
    tenantId,
    number: (head?.number ?? 0) + 1,
    previous: head === null ? noPrevious : await hashing.of(canonicalJson(statementOf(head))),
    root: await hashing.rootOf(leaves),
    count: records.length,
    firstCreatedAt: Math.min(...createdAts),
    lastCreatedAt: Math.max(...createdAts),
    sealedAt: now(),
    keyId: signer.key.id,
  };
  const signature = await signer.sign(signedText("seal", statement));
  const seal = { ...statement, signature, leaves: hashing.pack(leaves) };
  const appended = await seals.append(seal, records, signer.key);
  if (!appended.ok) return appended;
  return ok(appended.value ? records.length : null);
}

/** Makes one seal, of what ended at `before` or earlier. Returns how many records it holds. */
export async function sealOnce(deps: SealDeps, tenantId: string, before: number): Answer<number> {
  for (let count = 0; count < tries; count += 1) {
    const sealed = await trySeal(deps, tenantId, before);
    if (!sealed.ok) return sealed;
    if (sealed.value !== null) return ok(sealed.value);
  }
  return err({ reason: "unavailable", retryAfterMs });
}

/** One run over the tenants that have something to seal, from where the last run stopped. */
export const createSealJob = (deps: SealDeps) => async (): Answer<number> => {
  const { seals, now } = deps;
  const turn = await seals.claim(now(), now() + turnMs);
  if (!turn.ok) return turn;
  if (turn.value === null) return ok(0);
  const { cursor } = turn.value;
  let found = await seals.waitingTenants(cursor, sealsPerRun);
  if (found.ok && found.value.length === 0 && cursor !== "")
    found = await seals.waitingTenants("", sealsPerRun);
  if (!found.ok) return found;
  // A tenant with more to seal gets another turn after the others.
  const queue = [...found.value];
  let sealed = 0;
  for (let left = sealsPerRun; left > 0; left -= 1) {
    const tenantId = queue.shift();
    if (tenantId === undefined) break;
    const done = await sealOnce(deps, tenantId, now() - sealAfterMs);
    // One tenant's trouble is not the others': it comes round again.
    if (!done.ok) continue;
    sealed += done.value;
    if (done.value === mostSealed) queue.push(tenantId);
  }
  const last = found.value.length < sealsPerRun ? undefined : found.value.at(-1);
  const released = await seals.release(last ?? "");
  return released.ok ? ok(sealed) : released;
};
