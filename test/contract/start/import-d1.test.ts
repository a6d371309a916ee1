/** The first start on a state directory whose database is an emulated D1. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKeyTokens } from "../../../src/crypto/tokens.ts";
import { createVault } from "../../../src/crypto/vault.ts";
import { providerKeyOf } from "../../../src/domain/tenancy/sealing.ts";
import { importD1 } from "../../../src/start/import-d1.ts";
import { openLocally, type Local } from "../../../src/store/embedded/local.ts";
import { migrate } from "../../../src/store/migrations.ts";
import { aboutD1State, givenD1State, type D1State } from "../../setup/d1-state.ts";
import { readMigrations } from "../../setup/migrations.ts";
import { storesOn, value } from "../store/open.ts";
import { fromSource } from "../../setup/from-source.ts";

const program = fileURLToPath(new URL("../../fakes/importer.ts", import.meta.url));
const randomBytesOf = (count: number) => crypto.getRandomValues(new Uint8Array(count));

describe("a state directory with an emulated D1", () => {
  let state: D1State;
  let path: string;
  const opened: Local[] = [];
  beforeEach(() => {
    state = givenD1State();
    path = join(state.stateDir, "embedded", "router.sqlite");
  });
  afterEach(() => {
    for (const each of opened.splice(0)) each.close();
    state.remove();
  });
  const take = () => importD1({ folder: state.folder, path });
  const open = (file: string, mode: "reads" | "writes" = "reads"): Local => {
    const local = openLocally(file, mode);
    opened.push(local);
    return local;
  };

  it("is taken over with keys, credentials, records and seals", async () => {
    const before = readFileSync(state.d1);
    const imported = value(await take());
    expect(imported).toMatchObject({
      from: state.d1,
      fault: null,
      tenants: 1,
      seals: 1,
      records: 5,
      rows: { sampling_requests: aboutD1State.records, api_keys: 1, credentials: 2 },
    });
    expect(Object.keys(imported?.rows ?? {}).filter((name) => name.startsWith("_"))).toEqual([]);
    expect(readFileSync(state.d1).equals(before)).toBe(true);
    const { db } = open(path, "writes");
    // As the start does it after taking the file over.
    value(await migrate(db, readMigrations()));
    const { keys, credentials, tenants, requests } = storesOn(db);
    const tenantId = value(await tenants.bySlug("demo"))?.id ?? "";
    const tokens = createKeyTokens({ randomBytesOf });
    const key = value(await keys.get(tenantId, tokens.keyIdOf(aboutD1State.apiKey) ?? ""));
    expect(await tokens.matches(aboutD1State.apiKey, key?.secretHash ?? "")).toBe(true);
    const page = { cursor: null, limit: 50 };
    const added = value(await credentials.list(tenantId, page)).data.find(
      ({ name }) => name === "imported",
    );
    const sealed = value(await credentials.get(tenantId, added?.id ?? ""));
    const master = new Uint8Array(Buffer.from(aboutD1State.masterKey, "base64"));
    const vault = await createVault({ master, previous: null, randomBytesOf });
    if (sealed === null) throw new Error("no credential");
    expect(await vault.open(sealed.sealed, providerKeyOf(sealed))).toEqual({
      ok: true,
      value: aboutD1State.credential,
    });
    expect(value(await requests.list(tenantId, {}, page)).data).toHaveLength(aboutD1State.records);
  });

  it("is taken over with what stands in its log alone", async () => {
    const left = open(state.d1, "writes");
    left.exec("update tenants set name = 'changed at last'");
    expect(readFileSync(`${state.d1}-wal`).length).toBeGreaterThan(0);
    expect(readFileSync(state.d1).includes("changed at last")).toBe(false);
    value(await take());
    expect(open(path).one("select name from tenants")).toBe("changed at last");
  });

  it("is taken over once", async () => {
    value(await take());
    open(path, "writes").exec("update tenants set name = 'since then'");
    expect(value(await take())).toBeNull();
    expect(open(path).one("select name from tenants")).toBe("since then");
  });

  it("is taken over by the next start when a start was killed in between", async () => {
    for (const ms of [0, 30, 60, 90, 120, 200, 400]) {
      const child = spawn(process.execPath, [program, state.folder, path], {
        env: { ...process.env, ...fromSource },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const isOver = once(child, "exit");
      await once(child.stdout, "data");
      await new Promise((resolve) => setTimeout(resolve, ms));
      child.kill("SIGKILL");
      await isOver;
      if (existsSync(path)) break;
    }
    await take();
    expect(open(path).one("select count(*) from sampling_requests")).toBe(aboutD1State.records);
    expect(open(path).one("pragma integrity_check")).toBe("ok");
    expect(readdirSync(join(state.stateDir, "embedded"))).not.toContain("importing");
    // Up to seven processes, each of which takes seconds on a busy machine.
  }, 90_000);

  it("is left alone when it is damaged", async () => {
    const damaged = readFileSync(state.d1).fill(0x5a, 4_096 * 3, 4_096 * 40);
    writeFileSync(state.d1, damaged);
    const imported = await take();
    expect(imported).toMatchObject({ ok: false, error: expect.stringContaining(state.d1) });
    expect(readdirSync(join(state.stateDir, "embedded"))).toEqual([]);
    expect(readFileSync(state.d1).equals(damaged)).toBe(true);
  });

  it("is taken over with a chain that was broken before, which is said", async () => {
    open(state.d1, "writes").exec(
      "update sampling_requests set cost_micro_usd = 1 where id = (select min(id) from sampling_requests)",
    );
    expect(value(await take())?.fault).toMatch(/^record req_\w+ is not as it was sealed$/);
  });

  it("is nothing to take over where there was none", async () => {
    expect(value(await importD1({ folder: join(state.stateDir, "none"), path }))).toBeNull();
    expect(existsSync(path)).toBe(false);
  });
});
