/**
 * Sealing anew where each tenant has a database of its own, which sleeps while nobody calls. After a change of
 * MASTER_KEY `home` asks every tenant's database whether all of it is sealed under the new key. The question
 * alone begins the work there, and wakes the database. Once all have said so, the operator hears that nothing
 * needs the previous key.
 */
import type { ResealedTenants } from "../../domain/ports/resealed-tenants.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";

/** A Worker may ask 1,000 times in one invocation; one tenant is some three questions, and a run may have five rounds. */
const tenantsPerRound = 50;
const askedAtOnce = 10;
/** Longer than a round takes. */
const turnMs = 60_000;

interface Progress {
  keyId: string;
  after: string;
  /** tenants of this pass that are not sealed anew yet, or did not answer */
  left: number;
  isDone: boolean;
}

export interface ResealTenantsDeps {
  /** id of the master key */
  keyId: string;
  tenants: ResealedTenants;
  /** Asks a database, and begins the work there. */
  isResealed: (database: string) => AsyncResult<boolean>;
  ids: Ids;
  now: () => number;
}

/** Progress under another key means nothing. */
function progressOf(cursor: string, keyId: string): Progress {
  const fresh = { keyId, after: "", left: 0, isDone: false };
  if (cursor === "") return fresh;
  const kept = JSON.parse(cursor) as Progress;
  return kept.keyId === keyId ? kept : fresh;
}

/** Ids of those that are sealed anew. */
async function askAll(
  { isResealed }: ResealTenantsDeps,
  waiting: readonly { tenantId: string; database: string }[],
): Promise<string[]> {
  const resealed: string[] = [];
  for (let at = 0; at < waiting.length; at += askedAtOnce) {
    const some = waiting.slice(at, at + askedAtOnce);
    const answers = await Promise.all(some.map(({ database }) => isResealed(database)));
    for (const [place, answer] of answers.entries())
      if (answer.ok && answer.value) resealed.push(some[place]?.tenantId ?? "");
  }
  return resealed;
}

/** Returns how many tenants were asked in the middle of a pass, and at its end how many of them are sealed anew. */
export const createResealTenantsJob =
  (deps: ResealTenantsDeps) => async (): AsyncResult<number> => {
    const { keyId, tenants, ids, now } = deps;
    const kept = await tenants.progress();
    if (!kept.ok) return kept;
    if (progressOf(kept.value, keyId).isDone) return ok(0);
    const turn = await tenants.claim(now(), now() + turnMs);
    if (!turn.ok) return turn;
    if (turn.value === null) return ok(0);
    const before = progressOf(turn.value.cursor, keyId);
    const waiting = await tenants.waiting(keyId, { after: before.after, limit: tenantsPerRound });
    if (!waiting.ok) return waiting;
    const resealed = await askAll(deps, waiting.value);
    if (resealed.length > 0) {
      const noted = await tenants.note(keyId, resealed);
      if (!noted.ok) return noted;
    }
    const left = before.left + waiting.value.length - resealed.length;
    const last = waiting.value.length < tenantsPerRound ? undefined : waiting.value.at(-1);
    const isDone = last === undefined && left === 0;
    if (isDone) {
      const told = await tenants.append({
        id: ids.next("event"),
        at: now(),
        actor: "router",
        action: "secrets.resealed_everywhere",
        tenantId: null,
        target: keyId,
        detail: {},
      });
      if (!told.ok) return told;
    }
    // A pass that left some is begun anew, since their databases have begun meanwhile.
    const next: Progress =
      last === undefined
        ? { keyId, after: "", left: 0, isDone }
        : { keyId, after: last.tenantId, left, isDone };
    const released = await tenants.release(JSON.stringify(next));
    // The next round goes on with the pass, but begins no new one for nothing.
    return released.ok ? ok(last === undefined ? resealed.length : waiting.value.length) : released;
  };
