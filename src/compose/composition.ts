/**
 * The composition root: the files of this room see every floor, and no others do.
 */
import { err, ok } from "../domain/result.ts";
import type { Residency } from "../domain/tenancy/residency.ts";
import { homeShard, shardOf, shardOfState } from "../domain/tenancy/shards.ts";
import { isTenantDatabase, newTenantDatabase } from "../domain/tenancy/tenant-databases.ts";
import type { Services } from "../http/context.ts";
import type { NewDatabase } from "../pipeline/admin/placing.ts";
import { createAdminFor } from "../pipeline/admin/by-tenant.ts";
import type { Jobs } from "../pipeline/scheduled/jobs.ts";
import type { Host } from "./host.ts";
import { keptByName, randomBytesOf, type Isolate } from "./isolate.ts";
import { grantOfToken } from "../domain/tenancy/grant-ids.ts";
import { createAuthorization } from "./authorization.ts";
import type { Lifetime } from "./lifetime.ts";
import type { Everywhere } from "./everywhere.ts";
import { createShard, type Shard } from "./shard.ts";

export interface Composition {
  servicesFor: (token: string | null) => Services;
  jobs: Jobs;
  /** of one database alone */
  jobsOf: (name: string) => ReturnType<Jobs>;
}

/** Names the database of one more tenant, unless the host can't place it. */
const createNewDatabase =
  ({ refusesResidency }: Pick<Host, "refusesResidency">): NewDatabase =>
  (residency) => {
    const refusal = refusesResidency?.(residency) ?? null;
    return refusal === null
      ? ok(newTenantDatabase(randomBytesOf, residency.jurisdiction))
      : err(refusal);
  };

/**
 * Tenants' databases whose parts a composition keeps, of some 30 kB each. With 64 of them, 1,000 tenants that call in turn
 * had 0.73 of one tenant's requests a second; with all of them 0.83.
 */
const databasesKept = 1_024;

/** What serves requests for as long as its lifetime says: the database of a caller's shard is opened when it calls. */
export function createComposition(isolate: Isolate, lifetime: Lifetime): Composition {
  const { tokens, consoleTokens, config, host } = isolate;
  const haveTheirOwn = host.openTenantDatabase !== undefined && config.database.kind === "own";
  const isOpen = (name: string): boolean =>
    name === homeShard || (haveTheirOwn && isTenantDatabase(name));
  const shardNamed: (name: string) => Shard = keptByName(
    (name) => createShard(isolate, { ...lifetime, name, everywhere }),
    databasesKept,
  );
  const made = (name: string, residency: Residency | null = null): Shard => {
    const shard =
      residency === null
        ? shardNamed(name)
        : createShard(isolate, { ...lifetime, name, residency, everywhere });
    shard.lookForCatalogue();
    return shard;
  };
  const shards = {
    get home() {
      return made(homeShard);
    },
    of: (name: string, residency: Residency | null = null) =>
      isOpen(name) ? made(name, residency) : null,
    newDatabase: haveTheirOwn ? createNewDatabase(host) : null,
  };
  const authorization = createAuthorization({
    isolate,
    shardNamed: (name) => shards.of(name),
  });
  const everywhere: Everywhere = {
    authorization,
    adminFor: (actor, slug) =>
      createAdminFor({ shards, placements: shards.home.stores.placements })(actor, slug),
    readiness: { check: () => shards.home.readiness.check() },
    // The home shard has the keys of all databases: see `pipeline/scheduled/deliver.ts`.
    auditKeys: () => shards.home.admin.exports.publicKeys(),
    async personSignInOf(slug) {
      if (slug === null || !haveTheirOwn) return ok(shards.home.signIn());
      const placed = await shards.home.stores.placements.bySlug(slug);
      if (!placed.ok) return placed;
      const shard = placed.value === null ? null : shards.of(placed.value.shard);
      return ok((shard ?? shards.home).signIn());
    },
    catalogues: () => shardNamed(homeShard).stores.catalogues,
    deliveries: () => shardNamed(homeShard).stores.deliveries,
    isResealed: (name) => shardNamed(name).isResealed(),
    finishAuthorization({ query, browser }) {
      const shard = shards.of(shardOfState(query.get("state") ?? "")) ?? shards.home;
      return shard.admin.authorizations.finish(query.toString(), browser);
    },
  };
  return {
    servicesFor(token) {
      const keyId =
        !haveTheirOwn || token === null
          ? null
          : (tokens.keyIdOf(token) ?? grantOfToken(token)?.keyId ?? consoleTokens.keyIdOf(token));
      const shard = shards.of(keyId === null ? homeShard : shardOf(keyId));
      return shard === null ? shards.home.servicesOfUnknown() : shard.services;
    },
    jobsOf: (name) => made(name).jobs(),
    jobs: () => shards.home.jobs(),
  };
}
