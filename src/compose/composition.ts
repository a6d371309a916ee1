/** The composition root: only this folder imports all floors. */
import { err, ok } from "../domain/result.ts";
import type { Residency } from "../domain/tenancy/residency.ts";
import { homeDatabase, databaseOf, databaseOfState } from "../domain/tenancy/database-names.ts";
import { isTenantDatabase, newTenantDatabase } from "../domain/tenancy/tenant-databases.ts";
import type { Services } from "../http/context.ts";
import type { NewDatabase } from "../pipeline/admin/tenants/placing.ts";
import { createAdminFor } from "../pipeline/admin/by-tenant.ts";
import type { Jobs } from "../pipeline/scheduled/jobs.ts";
import type { Host } from "./host.ts";
import { keptByName, randomBytesOf, type Isolate } from "./isolate.ts";
import { grantOfToken } from "../domain/tenancy/grant-ids.ts";
import { createAuthorization } from "./authorization.ts";
import type { Lifetime } from "./lifetime.ts";
import type { Everywhere } from "./everywhere.ts";
import { createDatabaseParts, type DatabaseParts } from "./database/parts.ts";

export interface Composition {
  servicesFor: (token: string | null) => Services;
  jobs: Jobs;
  /** of one database */
  jobsOf: (name: string) => ReturnType<Jobs>;
}

const createNewDatabase =
  ({ refusesResidency }: Pick<Host, "refusesResidency">): NewDatabase =>
  (residency) => {
    const refusal = refusesResidency?.(residency) ?? null;
    return refusal === null
      ? ok(newTenantDatabase(randomBytesOf, residency.jurisdiction))
      : err(refusal);
  };

/**
 * About 30 kB each. With 64, 1,000 tenants in turn had 0.73 of a single tenant's requests per second; with all,
 * 0.83.
 */
const databasesKept = 1_024;

/** Opens the caller's database on demand. */
export function createComposition(isolate: Isolate, lifetime: Lifetime): Composition {
  const { tokens, consoleTokens, config, host } = isolate;
  const haveTheirOwn = host.openTenantDatabase !== undefined && config.database.kind === "own";
  const isOpen = (name: string): boolean =>
    name === homeDatabase || (haveTheirOwn && isTenantDatabase(name));
  const databaseNamed: (name: string) => DatabaseParts = keptByName(
    (name) => createDatabaseParts(isolate, { ...lifetime, name, everywhere }),
    databasesKept,
  );
  const made = (name: string, residency: Residency | null = null): DatabaseParts => {
    const database =
      residency === null
        ? databaseNamed(name)
        : createDatabaseParts(isolate, { ...lifetime, name, residency, everywhere });
    database.lookForCatalogue();
    return database;
  };
  const databases = {
    get home() {
      return made(homeDatabase);
    },
    of: (name: string, residency: Residency | null = null) =>
      isOpen(name) ? made(name, residency) : null,
    newDatabase: haveTheirOwn ? createNewDatabase(host) : null,
  };
  const authorization = createAuthorization({
    isolate,
    databaseNamed: (name) => databases.of(name),
  });
  const everywhere: Everywhere = {
    authorization,
    adminFor: (actor, slug) =>
      createAdminFor({ databases, placements: databases.home.stores.placements })(actor, slug),
    readiness: { check: () => databases.home.readiness.check() },
    // `home` has the keys of all databases: see `pipeline/scheduled/deliver.ts`.
    auditKeys: () => databases.home.admin.exports.publicKeys(),
    async personSignInOf(slug) {
      if (slug === null || !haveTheirOwn) return ok(databases.home.signIn());
      const placed = await databases.home.stores.placements.bySlug(slug);
      if (!placed.ok) return placed;
      const database = placed.value === null ? null : databases.of(placed.value.database);
      return ok((database ?? databases.home).signIn());
    },
    catalogues: () => databaseNamed(homeDatabase).stores.catalogues,
    deliveries: () => databaseNamed(homeDatabase).stores.deliveries,
    isResealed: (name) => databaseNamed(name).isResealed(),
    finishAuthorization({ query, browser }) {
      const database = databases.of(databaseOfState(query.get("state") ?? "")) ?? databases.home;
      return database.admin.authorizations.finish(query.toString(), browser);
    },
  };
  return {
    servicesFor(token) {
      const keyId =
        !haveTheirOwn || token === null
          ? null
          : (tokens.keyIdOf(token) ?? grantOfToken(token)?.keyId ?? consoleTokens.keyIdOf(token));
      const database = databases.of(keyId === null ? homeDatabase : databaseOf(keyId));
      return database === null ? databases.home.servicesOfUnknown() : database.services;
    },
    jobsOf: (name) => made(name).jobs(),
    jobs: () => databases.home.jobs(),
  };
}
