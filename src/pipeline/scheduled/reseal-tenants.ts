/** `home` asks every database whether it is resealed, which also starts the work there. */
import type { ResealedTenants } from "../../domain/ports/resealed-tenants.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";

/** A Worker may send 1,000 requests per invocation: about three per tenant and five rounds per run. */
const tenantsPerRound = 50;
const askedAtOnce = 10;
/** Longer than a round takes. */
const leaseMs = 60_000;

interface Progress {
  keyId: string;
  after: string;
  left: number;
  isDone: boolean;
}

export interface ResealTenantsDeps {
  keyId: string;
  tenants: ResealedTenants;
  isResealed: (database: string) => AsyncResult<boolean>;
  ids: Ids;
  now: () => number;
}

function progressOf(cursor: string, keyId: string): Progress {
  const fresh = { keyId, after: "", left: 0, isDone: false };
  if (cursor === "") return fresh;
  const kept = JSON.parse(cursor) as Progress;
  return kept.keyId === keyId ? kept : fresh;
}

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

export const createResealTenantsJob =
  (deps: ResealTenantsDeps) => async (): AsyncResult<number> => {
    const { keyId, tenants, ids, now } = deps;
    const kept = await tenants.progress();
    if (!kept.ok) return kept;
    if (progressOf(kept.value, keyId).isDone) return ok(0);
    const lease = await tenants.claim(now(), now() + leaseMs);
    if (!lease.ok) return lease;
    if (lease.value === null) return ok(0);
    const before = progressOf(lease.value.cursor, keyId);
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
      const appended = await tenants.append({
        id: ids.next("event"),
        at: now(),
        actor: "router",
        action: "secrets.resealed_everywhere",
        tenantId: null,
        target: keyId,
        detail: {},
      });
      if (!appended.ok) return appended;
    }
    const next: Progress =
      last === undefined
        ? { keyId, after: "", left: 0, isDone }
        : { keyId, after: last.tenantId, left, isDone };
    const released = await tenants.release(JSON.stringify(next));
    return released.ok ? ok(last === undefined ? resealed.length : waiting.value.length) : released;
  };
