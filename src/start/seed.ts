/** Creates the start's tenant, key, and credentials by the admin API. */
import { z } from "zod";
import { err, ok, type Result } from "../domain/result.ts";
import { createAdmin, unexpected, type Admin, type Answering } from "./admin.ts";
import { demoCredential, seedCredentials, wantedCredentials } from "./credentials.ts";
import type { ProviderSetting } from "./provider-settings.ts";
import type { Kept, Secrets } from "./secrets.ts";

const tenants = "/tenants";
const keys = "/tenants/demo/keys";
const made = z.looseObject({ key: z.string() });
const keyWanted = { name: "npm start", scopes: ["sampling", "models", "proxy", "tenant-admin"] };

/** Reuses the stored key if this database knows it. */
async function demoKey(
  admin: Admin,
  keptKey: string | undefined,
  router: Answering,
): Promise<Result<string, string>> {
  if (keptKey !== undefined) {
    const asKey = createAdmin(router, keptKey);
    const answer = await asKey.call("GET", keys);
    if (answer.status === 200) return ok(keptKey);
    if (![401, 403, 404].includes(answer.status)) return err(unexpected(`GET ${keys}`, answer));
  }
  const answer = await admin.call("POST", keys, keyWanted);
  if (answer.status !== 201) return err(unexpected(`POST ${keys}`, answer));
  return ok(made.parse(JSON.parse(answer.text)).key);
}

interface SeedOptions {
  secrets: Secrets;
  providers: readonly ProviderSetting[];
  warn: (line: string) => void;
}

export interface Seeded {
  key: string | null;
  scopes: string[];
  providers: string[];
}

async function makeTenant(
  admin: Admin,
  tenant: { slug: string; name: string },
): Promise<Result<null, string>> {
  const answer = await admin.call("POST", tenants, tenant);
  return answer.status === 201 || answer.status === 409
    ? ok(null)
    : err(unexpected(`POST ${tenants}`, answer));
}

export async function seed(
  router: Answering,
  options: SeedOptions,
): Promise<Result<Seeded, string>> {
  const { secrets, providers, warn } = options;
  const admin = createAdmin(router, secrets.adminToken);
  const tenant = await makeTenant(admin, { slug: "demo", name: "Demo" });
  if (!tenant.ok) return tenant;
  const key = await demoKey(admin, secrets.kept.demoKey, router);
  if (!key.ok) return key;
  // Stored immediately, so that a crash leaves no unknown key.
  const kept: Kept = { ...secrets.kept, demoKey: key.value };
  if (key.value !== secrets.kept.demoKey) secrets.save(kept);
  const wanted = await wantedCredentials(providers, { spare: [demoCredential], warn });
  const credentials = await seedCredentials(admin, {
    tenant: "demo",
    wanted,
    known: kept.credentials,
    masterKey: secrets.masterKey,
    warn,
  });
  if (!credentials.ok) return credentials;
  secrets.save({ ...kept, credentials: credentials.value.fingerprints });
  return ok({ key: key.value, providers: credentials.value.providers, scopes: keyWanted.scopes });
}

/** Creates no key. The tenant `default` appears with the first provider variable. */
export async function seedProduction(
  router: Answering,
  options: SeedOptions,
): Promise<Result<Seeded, string>> {
  const { secrets, providers, warn } = options;
  const { kept, masterKey } = secrets;
  if (kept.demoKey !== undefined)
    warn(
      "An earlier start created the tenant demo and printed its key. Delete the tenant if it is unused.",
    );
  const none: Seeded = { key: null, scopes: [], providers: [] };
  if (providers.length === 0 && Object.keys(kept.credentials).length === 0) return ok(none);
  const admin = createAdmin(router, secrets.adminToken);
  const tenant = await makeTenant(admin, { slug: "default", name: "Default" });
  if (!tenant.ok) return tenant;
  const credentials = await seedCredentials(admin, {
    tenant: "default",
    wanted: await wantedCredentials(providers, { spare: [], warn }),
    known: kept.credentials,
    masterKey,
    warn,
  });
  if (!credentials.ok) return credentials;
  secrets.save({ ...kept, credentials: credentials.value.fingerprints });
  return ok({ ...none, providers: credentials.value.providers });
}

export const seedOf = ({ isDemo }: { isDemo: boolean }): typeof seed =>
  isDemo ? seed : seedProduction;
