/** Dry run of a policy: what would change in the tenant's newest decisions. */
import { notReplayed, tryPolicy, type TriedDecision } from "../../../domain/audit/policy-trial.ts";
import type { SamplingRecord } from "../../../domain/audit/record.ts";
import { poolFrom, type ModelPool } from "../../../domain/choice/model-pool.ts";
import type { Policy } from "../../../domain/choice/policy.ts";
import { beyondCeiling } from "../../../domain/limits/ceilings.ts";
import type { Model } from "../../../domain/models/model.ts";
import { modelsOf } from "../../../domain/models/tenant-models.ts";
import type { Health } from "../../../domain/choice/health.ts";
import type { LimitStore } from "../../../domain/ports/ledger.ts";
import type { NameStore } from "../../../domain/ports/names.ts";
import type { ServerStore } from "../../../domain/ports/server-stores.ts";
import type {
  Credential,
  CredentialStore,
  HealthStore,
  KeyStore,
  PageRequest,
  RequestStore,
  Tenant,
} from "../../../domain/ports/stores.ts";
import type { OverrideStore } from "../../../domain/ports/overrides.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { err, ok } from "../../../domain/result.ts";
import type { Actor, StoredKey } from "../../../domain/tenancy/access.ts";
import type { CatalogueReader } from "../../sampling/choice/catalogue.ts";
import { policyFor } from "../../sampling/choice/choose.ts";
import type { AskingServer } from "../../callers/scopes.ts";
import { tenantFor, type AdminDeps } from "../access/access.ts";
import type { ShownLimit } from "../access/shown-limits.ts";
import { usedUpUnder } from "../keys/limits.ts";

const maxDecisions = 100;
/** Records searched for decisions; refused requests have none. */
const newest: PageRequest = { cursor: null, limit: 200 };
const everyOne: PageRequest = { cursor: null, limit: 1_000 };

export interface PolicyTrial {
  decisions: number;
  changed: number;
  /** answered today, refused under the new policy */
  newlyRefused: number;
  skipped: number;
  /** changed members whose effect records don't show */
  notReplayed: string[];
  /** changed limits that today's usage reaches */
  usedUp: ShownLimit[];
  names: Record<string, string>;
  data: (TriedDecision & {
    id: string;
    createdAt: number;
    keyId: string;
    serverId: string | null;
  })[];
}

type TrialDeps = AdminDeps & {
  requests: Pick<RequestStore, "list">;
  overrides: OverrideStore;
  credentials: Pick<CredentialStore, "list">;
  keys: Pick<KeyStore, "get">;
  servers: Pick<ServerStore, "byId">;
  health: Pick<HealthStore, "list">;
  catalogue: CatalogueReader;
  limits: LimitStore;
  names: NameStore;
};

interface Figures {
  models: readonly Model[];
  credentials: Credential[];
  health: Health[];
  catalogueVersion: string;
  now: number;
}

async function figuresOf(deps: TrialDeps, tenantId: string): AsyncResult<Figures> {
  const [held, changes, health, catalogue] = await Promise.all([
    deps.credentials.list(tenantId, everyOne),
    deps.overrides.list(tenantId),
    deps.health.list(tenantId),
    deps.catalogue(),
  ]);
  if (!held.ok) return held;
  if (!changes.ok) return changes;
  if (!health.ok) return health;
  if (!catalogue.ok) return catalogue;
  const credentials = held.value.data;
  return ok({
    models: modelsOf(catalogue.value, credentials, changes.value),
    credentials,
    health: health.value,
    catalogueVersion: catalogue.value.version,
    now: deps.now(),
  });
}

/** Limits of keys and policies of servers also bound the choice. */
async function askersOf(deps: TrialDeps, tenantId: string, records: readonly SamplingRecord[]) {
  const keys = new Map<string, StoredKey | null>();
  const servers = new Map<string, AskingServer | null>();
  for (const { who } of records) {
    if (!keys.has(who.keyId)) {
      const key = await deps.keys.get(tenantId, who.keyId);
      if (!key.ok) return key;
      keys.set(who.keyId, key.value);
    }
    if (who.serverId !== null && !servers.has(who.serverId)) {
      const server = await deps.servers.byId(tenantId, who.serverId);
      if (!server.ok) return server;
      servers.set(who.serverId, server.value);
    }
  }
  return ok({ keys, servers });
}

/** A deleted key has no limits. */
const goneKey = (id: string): Pick<StoredKey, "id" | "limits"> => ({ id, limits: {} });

function poolsOf(figures: Figures, tenant: Tenant) {
  const pools = new Map<string, ModelPool>();
  return (
    policy: Policy,
    key: Pick<StoredKey, "id" | "limits">,
    server: AskingServer | null,
  ): ModelPool => {
    const snapshot = { tenant: { ...tenant, policy }, key: key as StoredKey };
    const poolPolicy = policyFor(snapshot, { server, now: figures.now });
    const name = JSON.stringify(poolPolicy);
    const pool = pools.get(name) ?? poolFrom({ ...figures, policy: poolPolicy });
    pools.set(name, pool);
    return pool;
  };
}

export const createPolicyTrial =
  (deps: TrialDeps) =>
  async (actor: Actor, slug: string, policy: Policy): AsyncResult<PolicyTrial> => {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const { id: tenantId, ceiling, policy: current } = tenant.value;
    const beyond = beyondCeiling(policy.limits ?? {}, ceiling.limits);
    if (beyond !== null)
      return err({
        reason: "invalid_params",
        path: `policy.limits.${beyond.name}`,
        detail: `At most ${beyond.max}, which is the operator's ceiling for this tenant.`,
      });
    const page = await deps.requests.list(tenantId, {}, newest);
    if (!page.ok) return page;
    const decided = page.value.data.filter(({ decision }) => decision !== null);
    const records = decided.slice(0, maxDecisions);
    const figures = await figuresOf(deps, tenantId);
    if (!figures.ok) return figures;
    const askers = await askersOf(deps, tenantId, records);
    if (!askers.ok) return askers;
    const { keys, servers } = askers.value;
    const usedUp = await usedUpUnder(policy, tenant.value, deps);
    if (!usedUp.ok) return usedUp;
    const poolUnder = poolsOf(figures.value, tenant.value);
    const data = records.flatMap((record) => {
      const { id, createdAt, who } = record;
      const key = keys.get(who.keyId) ?? goneKey(who.keyId);
      const server = servers.get(who.serverId ?? "") ?? null;
      const pools = {
        before: poolUnder(current, key, server),
        after: poolUnder(policy, key, server),
      };
      const tried = tryPolicy(record, pools);
      const { keyId, serverId } = who;
      return tried === null ? [] : [{ id, createdAt, keyId, serverId, ...tried }];
    });
    return ok({
      decisions: data.length,
      changed: data.filter(({ isChanged }) => isChanged).length,
      newlyRefused: data.filter(
        ({ before, after }) => before.model !== null && after.model === null,
      ).length,
      skipped: page.value.data.length - decided.length,
      notReplayed: notReplayed(current, policy),
      ...usedUp.value,
      data,
    });
  };
