/** Asks every tenant's database whether it is resealed. The question also starts resealing there. */
import type { ResealedTenants } from "../../domain/ports/resealed-tenants.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";

/** A run has five rounds, with about three requests per tenant; a Worker may send 1,000 per invocation. */
const tenantsPerRound = 50;
const maxParallel = 10;
/** Longer than a round takes. */
const leaseMs = 60_000;

interface Progress {
  keyId: string;
  afterTenant: string;
  notResealed: number;
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
  const fresh = { keyId, afterTenant: "", notResealed: 0, isDone: false };
  if (cursor === "") return fresh;
  const saved = JSON.parse(cursor) as Partial<Progress>;
  return saved.keyId === keyId ? { ...fresh, ...saved } : fresh;
}

async function askAll(
  { isResealed }: ResealTenantsDeps,
  asked: readonly { tenantId: string; database: string }[],
): Promise<string[]> {
  const resealed: string[] = [];
  for (let at = 0; at < asked.length; at += maxParallel) {
    const batch = asked.slice(at, at + maxParallel);
    const answers = await Promise.all(batch.map(({ database }) => isResealed(database)));
    for (const [index, answer] of answers.entries())
      if (answer.ok && answer.value) resealed.push(batch[index]?.tenantId ?? "");
  }
  return resealed;
}

export const createResealTenantsJob =
  (deps: ResealTenantsDeps) => async (): AsyncResult<number> => {
    const { keyId, tenants, ids, now } = deps;
    const saved = await tenants.cursor();
    if (!saved.ok) return saved;
    if (progressOf(saved.value, keyId).isDone) return ok(0);
    const lease = await tenants.claim(now(), now() + leaseMs);
    if (!lease.ok) return lease;
    if (lease.value === null) return ok(0);
    const before = progressOf(lease.value.cursor, keyId);
    const page = await tenants.notResealed(keyId, {
      after: before.afterTenant,
      limit: tenantsPerRound,
    });
    if (!page.ok) return page;
    const resealed = await askAll(deps, page.value);
    if (resealed.length > 0) {
      const marked = await tenants.markResealed(keyId, resealed);
      if (!marked.ok) return marked;
    }
    const notResealed = before.notResealed + page.value.length - resealed.length;
    const last = page.value.length < tenantsPerRound ? undefined : page.value.at(-1);
    const isDone = last === undefined && notResealed === 0;
    if (isDone) {
      const appended = await tenants.appendEvent({
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
        ? { keyId, afterTenant: "", notResealed: 0, isDone }
        : { keyId, afterTenant: last.tenantId, notResealed, isDone };
    const released = await tenants.release(JSON.stringify(next));
    return released.ok ? ok(last === undefined ? resealed.length : page.value.length) : released;
  };
