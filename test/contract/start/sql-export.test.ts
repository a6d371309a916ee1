/** A deployment on D1 moves: what `wrangler d1 export` wrote of it becomes the database of `npm start`. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createVault } from "../../../src/crypto/vault.ts";
import { providerKeyOf } from "../../../src/domain/tenancy/sealing.ts";
import { databaseFromExport, statementsOf } from "../../../src/start/sql-export.ts";
import { contentsOf } from "../../../src/start/whole-copy.ts";
import { openLocally, type Local } from "../../../src/store/embedded/local.ts";
import { fromSource } from "../../setup/from-source.ts";
import { exportOf } from "../../setup/d1-export.ts";
import { aboutD1State, givenD1State, type D1State } from "../../setup/d1-state.ts";
import { storesOn, value } from "../store/open.ts";

const program = fileURLToPath(new URL("../../../src/cli/restore.ts", import.meta.url));

async function* piecesOf(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}
const statementsIn = async (text: string, size: number): Promise<string[]> => {
  const found: string[] = [];
  for await (const statement of statementsOf(piecesOf(text, size))) found.push(statement);
  return found;
};

describe("the statements of an export", () => {
  it.each([1, 2, 7, 1_000])("are found in pieces of %d characters", async (size) => {
    const text = `create table "a;b" (c text);\ninsert into x values('it''s; two
lines', X'00');;  delete from sqlite_sequence`;
    expect(await statementsIn(text, size)).toEqual(
      [
        `create table "a;b" (c text)`,
        "insert into x values('it''s; two\nlines', X'00')",
        "",
        "delete from sqlite_sequence",
      ].filter((each) => each !== ""),
    );
  });
});

describe("an export of a deployment on D1", () => {
  let state: D1State;
  let file: string;
  const opened: Local[] = [];
  const open = (path: string): Local => {
    const local = openLocally(path, "reads");
    opened.push(local);
    return local;
  };
  beforeEach(() => {
    state = givenD1State();
    file = join(state.stateDir, "d1.sql");
    writeFileSync(file, exportOf(open(state.d1)));
    // The first start would take this over by itself.
    rmSync(state.folder, { recursive: true });
  });
  afterEach(() => {
    for (const each of opened.splice(0)) each.close();
    state.remove();
  });
  const path = () => join(state.stateDir, "embedded", "router.sqlite");
  const restore = () =>
    new Promise<{ code: number; said: string }>((resolve) => {
      const { masterKey: MASTER_KEY } = aboutD1State;
      const env = { PATH: process.env["PATH"], STATE_DIR: state.stateDir, MASTER_KEY };
      execFile(
        process.execPath,
        [program, file],
        { env: { ...env, ...fromSource } },
        (fault, stdout, stderr) =>
          resolve({ code: fault === null ? 0 : Number(fault.code), said: `${stdout}${stderr}` }),
      );
    });

  it("becomes the database, with keys, sealed credentials, records and a chain that verifies", async () => {
    const { code, said } = await restore();
    expect(said).toContain(`1 tenant, ${aboutD1State.records} records, 1 seal of 1 chain.`);
    expect(said).not.toContain("did not verify");
    expect(code).toBe(0);
    const { credentials, tenants } = storesOn(open(path()).db);
    const tenantId = value(await tenants.bySlug("demo"))?.id ?? "";
    const page = { cursor: null, limit: 50 };
    const added = value(await credentials.list(tenantId, page)).data.find(
      ({ name }) => name === "imported",
    );
    const sealed = value(await credentials.get(tenantId, added?.id ?? ""));
    if (sealed === null) throw new Error("no credential");
    const vault = await createVault({
      master: new Uint8Array(Buffer.from(aboutD1State.masterKey, "base64")),
      previous: null,
      randomBytesOf: (count) => new Uint8Array(count),
    });
    expect(await vault.open(sealed.sealed, providerKeyOf(sealed))).toEqual({
      ok: true,
      value: aboutD1State.credential,
    });
  });

  it("says where a record is not as it was sealed", async () => {
    const made = join(state.stateDir, "made.sqlite");
    const text = readFileSync(file, "utf8");
    const changed = text.replace(/(INSERT INTO "sampling_requests"[^\n]*?'succeeded')/, (found) =>
      found.replace("'succeeded'", "'failed'"),
    );
    expect(changed).not.toBe(text);
    writeFileSync(file, changed);
    value(await databaseFromExport(file, made));
    expect(value(await contentsOf(open(made))).fault).toMatch(
      /^record req_\w+ is not as it was sealed$/,
    );
  });

  it.each([
    ["attach database '/etc/passwd' as other", "attach database"],
    ["insert into nowhere values('a secret')", "insert into nowhere values"],
  ])("is refused with %j in it, by number, and without its values", async (statement, named) => {
    writeFileSync(file, `${readFileSync(file, "utf8")}\n${statement};`);
    const made = join(state.stateDir, "made.sqlite");
    const refused = await databaseFromExport(file, made);
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining(named) });
    expect(JSON.stringify(refused)).not.toMatch(/secret|passwd/);
    expect(open(made).one("select count(*) from sqlite_master")).toBe(0);
  });

  it("leaves nothing behind where it ends in the middle", async () => {
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.slice(0, text.lastIndexOf("INSERT INTO") + 30));
    expect(await restore()).toMatchObject({ code: 1 });
    expect(existsSync(path())).toBe(false);
    expect(readdirSync(join(state.stateDir, "embedded")).join()).not.toContain("restoring");
  });
});
