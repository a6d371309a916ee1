/** What `npm start` finds in its state directory: modes, damage, a newer database, another MASTER_KEY. */
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownAlone } from "../../src/start/permissions.ts";
import { adminOf, asking, callOnce, createTenant } from "../fakes/caller.ts";
import {
  databaseFilesIn,
  spawnLauncher,
  startRouter,
  temporaryStateDir,
  type Router,
} from "../fakes/router.ts";
import { startSqld, type Sqld } from "../fakes/sqld.ts";
import { patient } from "../setup/patience.ts";

const timeout = patient(90_000);
const started: Router[] = [];
const start = async (options: Parameters<typeof startRouter>[0]): Promise<Router> => {
  const router = await startRouter(options);
  started.push(router);
  return router;
};
afterAll(() => Promise.all(started.map((router) => router.stop())));

/** All that a failed start prints. */
async function faultOf(options: Parameters<typeof spawnLauncher>[0]): Promise<string> {
  const launched = await spawnLauncher(options);
  expect(await launched.ended).toBe(1);
  expect(launched.output()).not.toMatch(/^\s+at /m);
  return launched.output().trim().split("\n").at(-1) ?? "";
}

const everythingIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
const databaseIn = (stateDir: string): string =>
  databaseFilesIn(stateDir).find((path) => path.endsWith(".sqlite")) ?? "";
const masterKeyOf = (fill: number): string => Buffer.alloc(32, fill).toString("base64");

/** Both groups' own: the first start of the one has made the database of the other. */
const stateDir = temporaryStateDir();

describe("the state directory", () => {
  it("is its owner's alone, with all that is in it", { timeout }, async () => {
    chmodSync(stateDir, 0o755);
    writeFileSync(join(stateDir, "left"), "", { mode: 0o644 });
    mkdirSync(join(stateDir, "folder"), { mode: 0o755 });
    const router = await start({ stateDir });
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
    const open = everythingIn(stateDir).filter((path) => {
      const found = lstatSync(path);
      return !found.isSymbolicLink() && (found.mode & 0o077) !== 0;
    });
    expect(open).toEqual([]);
    await router.stop();
  });

  it("is refused when others may write there", { timeout }, async () => {
    const line = /STATE_DIR: \S+ is writable by other users \(mode 0\d{3}\)/;
    for (const mode of [0o777, 0o770]) {
      chmodSync(stateDir, mode);
      const error = expect.stringMatching(line) as string;
      expect(ownAlone(stateDir)).toEqual({ ok: false, error });
    }
    chmodSync(stateDir, 0o702);
    expect(await faultOf({ stateDir })).toMatch(new RegExp(`^sampling-router: ${line.source}`));
    chmodSync(stateDir, 0o755);
    const secrets = join(stateDir, "secrets.json");
    chmodSync(secrets, 0o606);
    expect(await faultOf({ stateDir })).toContain(
      `${secrets} is writable by other users (mode 0606)`,
    );
    chmodSync(secrets, 0o600);
    chmodSync(stateDir, 0o700);
  });
});

describe("a database", () => {
  it(
    "of a newer version serves this version where migrations only added, and else is named",
    { timeout },
    async () => {
      const apply = (name: string): void => {
        const database = new DatabaseSync(databaseIn(stateDir));
        database.exec(`insert into migrations (hash, name) values ('', '${name}')`);
        database.close();
      };
      apply("9998_future.sql");
      expect(await (await start({ stateDir })).stop()).toBe(0);
      apply("9999_contract_future.sql");
      expect(await faultOf({ stateDir })).toMatch(
        /^sampling-router: the embedded database is from a newer version: 9999_contract_future\.sql removed/,
      );
    },
  );

  it("of an unreleased version is named, and keeps every byte", { timeout }, async () => {
    const path = databaseIn(stateDir);
    const database = new DatabaseSync(path);
    const [{ hash }] = database.prepare("select hash from migrations").all() as [{ hash: string }];
    database.exec("update migrations set hash = 'x'; pragma wal_checkpoint(truncate)");
    database.close();
    const before = readFileSync(path);
    expect(await faultOf({ stateDir })).toMatch(
      /^sampling-router: the database \S+\.sqlite was made by an unreleased version/,
    );
    expect(readFileSync(path).equals(before)).toBe(true);
    const again = new DatabaseSync(path);
    again.prepare("update migrations set hash = ? where id = 1").run(hash);
    again.close();
  });

  it.each([
    ["whose beginning is", 0, 1],
    ["whose pages are", 1, Number.POSITIVE_INFINITY],
  ])("%s damaged is named", { timeout }, async (_, from, count) => {
    const path = databaseIn(stateDir);
    const pages = Math.floor(statSync(path).size / 4096);
    const file = openSync(path, "r+");
    for (let page = from; page < Math.min(pages, from + count); page += 1)
      writeSync(file, Buffer.alloc(4096, 0x41), 0, 4096, page * 4096);
    closeSync(file);
    for (const left of ["-wal", "-shm"]) rmSync(path + left, { force: true });
    expect(await faultOf({ stateDir })).toMatch(
      /^sampling-router: the embedded database is corrupted: \S+\.sqlite; /,
    );
  });
});

describe("a database on a server", () => {
  let sqld: Sqld;
  beforeAll(async () => {
    sqld = await startSqld();
  }, timeout);
  afterAll(() => sqld?.stop());

  it("of another MASTER_KEY is named, and its calls say so", { timeout: 2 * timeout }, async () => {
    const env = { DATABASE_URL: sqld.url, ADMIN_TOKEN: "operator-token-of-the-test" };
    const first = await start({ env: { ...env, MASTER_KEY: masterKeyOf(1) } });
    const { credentialId } = await createTenant(first, "acme", {
      provider: "openai",
      apiKey: "CANARY-key",
      baseUrl: "http://127.0.0.1:9/v1",
    });
    await first.stop();
    const second = await start({ env: { ...env, MASTER_KEY: masterKeyOf(2) } });
    const [line = ""] = /^MASTER_KEY .*$/m.exec(second.output()) ?? [];
    expect(line).toMatch(
      /^MASTER_KEY \([0-9a-f]{12}\) is not the one that sealed DATABASE_URL: \S+ \([0-9a-f]{12}\): 2 of 2 credentials and the secrets of 0 of 0 servers can't be opened/,
    );
    const admin = adminOf(second, second.adminToken);
    const made = await admin("POST", "/tenants/acme/keys", { name: "new", scopes: ["sampling"] });
    const refused = await callOnce(second, String(made.get("key")), asking("hello"));
    expect(refused.get("error.data")).toMatchObject({
      reason: "provider_failed",
      retryable: false,
      attempts: [{ provider: "openai", fault: "unopenable" }],
    });
    expect(refused.get("error.message")).toContain("MASTER_KEY has changed");
    const checked = await admin("POST", `/tenants/acme/credentials/${credentialId}/check`);
    expect(checked.get("fault")).toEqual({ kind: "unopenable", status: null });
    // A new key goes to no address that nobody vouches for.
    const path = `/tenants/acme/credentials/${credentialId}`;
    expect((await admin("PATCH", path, { apiKey: "new" })).get("path")).toBe("baseUrl");
    const anew = { apiKey: "new", baseUrl: "http://127.0.0.1:9/v1" };
    expect((await admin("PATCH", path, anew)).status).toBe(200);
    await second.stop();
    const previous = { MASTER_KEY: masterKeyOf(3), MASTER_KEY_PREVIOUS: masterKeyOf(2) };
    const third = await start({ env: { ...env, ...previous } });
    expect(third.output()).not.toContain("is not the one that sealed");
  });
});
