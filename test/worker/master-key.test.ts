/** MASTER_KEY changes while a tenant's object sleeps. The Workers of these tests differ in their settings alone. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { migrations } from "../../src/bundled-migrations.ts";
import { createComposition } from "../../src/compose/composition.ts";
import type { Host } from "../../src/compose/host.ts";
import { clock, createIsolate } from "../../src/compose/isolate.ts";
import { createTenantObject } from "../../src/compose/tenant-object.ts";
import { parseConfig } from "../../src/config.ts";
import { masterKeyId } from "../../src/crypto/master-key-id.ts";
import { homeDatabase, databaseOf } from "../../src/domain/tenancy/database-names.ts";
import { createApp } from "../../src/http/app.ts";
import { ledgerTexts } from "../../src/store/engines/memory-ledger/texts.ts";
import { openObject } from "../../src/store/engines/durable/open-object.ts";
import { value } from "../contract/store/open.ts";

const adminToken = "of-the-tests-of-master-keys";
const bytesOf = (byte: number) => new Uint8Array(32).fill(byte);
const keyOf = (byte: number): string => btoa(String.fromCharCode(...bytesOf(byte)));
const objects = { namespace: env.DATABASES, wait: clock.wait };
const host: Host = {
  log: () => {},
  fetch: async () => new Response(null, { status: 404 }),
  openOwnDatabase: (options) => openObject(objects, homeDatabase, options),
  openTenantDatabase: (name, options) => openObject(objects, name, options),
};
const waits = { background: () => {}, upkeep: () => {} };

async function routerWith(keys: { now: number; before?: number }) {
  const config = value(
    parseConfig({
      DATABASES: env.DATABASES,
      ADMIN_TOKEN: adminToken,
      MASTER_KEY: keyOf(keys.now),
      ...(keys.before !== undefined && { MASTER_KEY_PREVIOUS: keyOf(keys.before) }),
      ROLLOUT_SECONDS: "0",
      CATALOGUE_URL: "off",
    }),
  );
  const isolate = await createIsolate(config, host);
  const { servicesFor, jobsOf } = createComposition(isolate, waits);
  const app = createApp();
  return {
    async ask(method: string, path: string, body?: object) {
      const request = new Request(`https://router.test/admin/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer = await app.fetch(request, { servicesFor, address: () => "" });
      return (await answer.json()) as Record<string, unknown>;
    },
    cron: () => jobsOf(homeDatabase),
    /** As the tenant's object runs its alarm under these settings. */
    alarm: (name: string) =>
      runInDurableObject(env.DATABASES.getByName(name), (_, state) =>
        createTenantObject({
          ctx: state,
          texts: ledgerTexts,
          migrations,
          databaseKind: "a tenant",
          limitBytes: 1e9,
        }).alarm(isolate),
      ),
  };
}

const sealOf = (name: string) =>
  runInDurableObject(env.DATABASES.getByName(name), (_, { storage }) =>
    String(storage.sql.exec("select sealed from credentials").one()["sealed"]),
  );
const alarmOf = (name: string) =>
  runInDurableObject(env.DATABASES.getByName(name), (_, { storage }) => storage.getAlarm());
/** The runtime does so when an alarm comes. */
const forgetAlarm = (name: string) =>
  runInDurableObject(env.DATABASES.getByName(name), (_, { storage }) => storage.deleteAlarm());

describe("a change of MASTER_KEY while a tenant's object sleeps", () => {
  it("counts as finished only after that object has sealed its secrets anew", async () => {
    const before = await routerWith({ now: 2 });
    const { id } = await before.ask("POST", "/tenants", { slug: "sleeper", name: "Sleeper" });
    const made = await before.ask("POST", "/tenants/sleeper/credentials", {
      provider: "openai",
      name: "one",
      apiKey: "provider-key",
    });
    expect(made).toMatchObject({ id: expect.any(String) });
    const name = databaseOf(String(id));
    for (let runs = 0; runs < 3; runs += 1) await before.alarm(name);
    await forgetAlarm(name);
    // What it remembers of its alarm goes too.
    await evictDurableObject(env.DATABASES.getByName(name));
    const keyId = await masterKeyId(bytesOf(3));
    const after = await routerWith({ now: 3, before: 2 });
    const told = async () => {
      const { data } = (await after.ask("GET", "/events")) as {
        data: { action: string; target: string }[];
      };
      return data.filter(({ action }) => action === "secrets.resealed_everywhere");
    };

    await after.cron();
    expect(await told()).toEqual([]);
    expect(await sealOf(name)).not.toContain(keyId);
    // The question woke the object.
    expect(await alarmOf(name)).not.toBeNull();

    await after.alarm(name);
    expect(await sealOf(name)).toContain(`v1.${keyId}.`);
    await after.cron();
    expect(await told()).toMatchObject([{ target: keyId }]);
    await after.cron();
    expect(await told()).toHaveLength(1);

    // Nothing is left to do, though the previous key is still set.
    for (let runs = 0; runs < 3; runs += 1) {
      await forgetAlarm(name);
      await after.alarm(name);
    }
    expect(await alarmOf(name)).toBeNull();
  });
});
