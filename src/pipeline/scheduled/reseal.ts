/** Idempotent: replaces only rows that are unchanged since they were read. */
import type { AsyncResult } from "../../domain/refusals.ts";
import type { AdminEvent } from "../../domain/admin-event.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import type { Vault } from "../../domain/ports/stores.ts";
import { ok } from "../../domain/result.ts";
import {
  codedKinds,
  sealingSteps,
  type CodedKind,
  type Recoded,
  type Resealed,
  type SealedKind,
  type SealedRowStore,
  type SealingState,
  type SealingStep,
  type SealingStore,
  type WorkStep,
} from "../../domain/tenancy/sealing.ts";
import type { Sealing } from "./sealing.ts";

/** A page takes four statements; a Worker may send 1,000 requests per invocation. */
const pagesPerRun = 8;
/** Longer than a run takes. */
const leaseMs = 60_000;

interface Progress {
  step: SealingStep;
  after: string;
  changed: number;
  /** rows that no key can open or authenticate */
  unreadable: number;
}

type Page = { after: string; changed: number; unreadable: number } | null;

export interface ResealDeps {
  sealing: Sealing;
  store: SealingStore;
  rows: SealedRowStore;
  vault: Vault;
  macs: Record<CodedKind, Mac>;
  ids: Ids;
  now: () => number;
}

const hasCodes = (step: WorkStep): step is CodedKind => codedKinds.some((kind) => kind === step);

async function recodePage(deps: ResealDeps, kind: CodedKind, after: string): AsyncResult<Page> {
  const { rows, macs } = deps;
  const mac = macs[kind];
  const found = await rows.coded(kind, after);
  if (!found.ok) return found;
  const last = found.value.at(-1);
  if (last === undefined) return ok(null);
  const recoded: Recoded[] = [];
  let unreadable = 0;
  for (const { tenantId, place, text, code: from } of found.value) {
    const isValid = await mac.check(text, from);
    if (isValid && from?.startsWith(mac.codePrefix) === true) continue;
    if (isValid) recoded.push({ tenantId, place, from, to: await mac.code(text) });
    else unreadable += 1;
  }
  const written = recoded.length === 0 ? ok(null) : await rows.recode(kind, recoded);
  return written.ok ? ok({ after: last.place, changed: recoded.length, unreadable }) : written;
}

async function resealPage(deps: ResealDeps, kind: SealedKind, after: string): AsyncResult<Page> {
  const { rows, vault } = deps;
  const found = await rows.page(kind, after);
  if (!found.ok) return found;
  const last = found.value.at(-1);
  if (last === undefined) return ok(null);
  const resealed: Resealed[] = [];
  let unreadable = 0;
  for (const row of found.value) {
    if (row.sealed.startsWith(vault.sealPrefix)) continue;
    const opened = await vault.open(row.sealed, row.context);
    if (opened.ok) resealed.push({ ...row, fresh: await vault.seal(opened.value, row.context) });
    else unreadable += 1;
  }
  const written = resealed.length === 0 ? ok(null) : await rows.replace(kind, resealed);
  return written.ok ? ok({ after: last.place, changed: resealed.length, unreadable }) : written;
}

function progressOf(cursor: string, { keyId, step }: SealingState): Progress {
  const fresh = { step, after: "", changed: 0, unreadable: 0 };
  if (cursor === "") return fresh;
  const kept = JSON.parse(cursor) as Progress & { keyId: string };
  if (kept.keyId !== keyId) return fresh;
  return kept.step === step
    ? kept
    : { ...fresh, changed: kept.changed, unreadable: kept.unreadable };
}

/** Reports that the previous master key is no longer needed. */
const resealedEvent = (
  { ids, now }: ResealDeps,
  keyId: string,
  { changed, unreadable }: Progress,
): AdminEvent => ({
  id: ids.next("event"),
  at: now(),
  actor: "router",
  action: "secrets.resealed",
  tenantId: null,
  target: keyId,
  detail: { changed, unreadable },
});

async function processPages(
  deps: ResealDeps,
  initialState: SealingState,
  before: Progress,
): AsyncResult<Progress> {
  let [state, progress] = [initialState, before];
  for (let pages = pagesPerRun; pages > 0 && state.step !== "done"; pages -= 1) {
    const { step } = state;
    const { after, changed, unreadable } = progress;
    const done = hasCodes(step)
      ? await recodePage(deps, step, after)
      : await resealPage(deps, step, after);
    if (!done.ok) return done;
    if (done.value === null) {
      const next = sealingSteps[sealingSteps.indexOf(step) + 1] ?? "done";
      const event = next === "done" ? resealedEvent(deps, state.keyId, progress) : null;
      const advanced = await deps.sealing.advance(state, next, event);
      if (!advanced.ok) return advanced;
      state = advanced.value;
      progress = { step: next, after: "", changed, unreadable };
    } else {
      const page = done.value;
      progress = {
        step,
        after: page.after,
        changed: changed + page.changed,
        unreadable: unreadable + page.unreadable,
      };
    }
  }
  return ok(progress);
}

export const createResealJob = (deps: ResealDeps) => async (): AsyncResult<number> => {
  const { sealing, store, now } = deps;
  const state = await sealing.current();
  if (!state.ok) return state;
  const { keyId, step } = state.value;
  if (step === "done" || now() < sealing.beginsAt(state.value)) return ok(0);
  const lease = await store.claim(now(), now() + leaseMs);
  if (!lease.ok) return lease;
  if (lease.value === null) return ok(0);
  const before = progressOf(lease.value.cursor, state.value);
  const worked = await processPages(deps, state.value, before);
  if (!worked.ok) return worked;
  const released = await store.release(JSON.stringify({ keyId, ...worked.value }));
  return released.ok ? ok(worked.value.changed - before.changed) : released;
};
