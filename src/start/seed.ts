/** The demo tenant, its key and its credentials, over the same admin API that everybody has. */
import { z } from "zod";
import { err, ok, type Result } from "../domain/result.ts";
import { createAdmin, unexpected, type Admin, type Answering } from "./admin.ts";
import { seedCredentials, wantedCredentials } from "./credentials.ts";
import type { ProviderSetting } from "./provider-settings.ts";
import type { Kept, Secrets } from "./secrets.ts";

const tenants = "/tenants";
const keys = "/tenants/demo/keys";
const made = z.looseObject({ key: z.string() });
const keyWanted = { name: "npm start", scopes: ["sampling", "proxy", "tenant-admin"] };

/** The kept key, if this database knows that key; a new key where the kept one was made for another database. */
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

export async function seed(
  router: Answering,
  options: {
    secrets: Secrets;
    providers: readonly ProviderSetting[];
    /** where the tenant lives; absent: the router chooses */
    warn: (line: string) => void;
  },
): Promise<Result<{ key: string; scopes: string[]; providers: string[] }, string>> {
  const { secrets, providers, warn } = options;
  const admin = createAdmin(router, secrets.adminToken);
  const tenant = await admin.call("POST", tenants, {
    slug: "demo",
    name: "Demo",
  });
  if (tenant.status !== 201 && tenant.status !== 409)
    return err(unexpected(`POST ${tenants}`, tenant));
  const key = await demoKey(admin, secrets.kept.demoKey, router);
  if (!key.ok) return key;
  // Written down at once: a launcher that dies now would leave a key that nobody has.
  const kept: Kept = { ...secrets.kept, demoKey: key.value };
  if (key.value !== secrets.kept.demoKey) secrets.save(kept);
  const wanted = await wantedCredentials(providers, warn);
  const credentials = await seedCredentials(admin, {
    wanted,
    known: kept.credentials,
    masterKey: secrets.masterKey,
    warn,
  });
  if (!credentials.ok) return credentials;
  secrets.save({ ...kept, credentials: credentials.value.fingerprints });
  return ok({
    key: key.value,
    providers: credentials.value.providers,
    scopes: keyWanted.scopes,
  });
}
