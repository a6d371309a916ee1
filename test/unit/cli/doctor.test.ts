/** What `doctor` finds wrong with an installation, and that it says what to do. */
import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { databasesOf } from "../../../src/cli/doctor/database.ts";
import { exposureOf } from "../../../src/cli/doctor/exposure.ts";
import { linesOf, type Finding } from "../../../src/cli/doctor/finding.ts";
import { proxiesOf, reachesOf } from "../../../src/cli/doctor/reach.ts";
import { runningOf, runningPort } from "../../../src/cli/doctor/running.ts";
import { permissionsOf, secretsOf } from "../../../src/cli/doctor/state.ts";
import { makeEmbeddedFolder } from "../../../src/start/embedded-file.ts";
import { applyMigrations, readMigrations } from "../../../src/start/migrations.ts";
import { noteScheduleRun } from "../../../src/start/schedule-run.ts";
import { checkout, parseSettings } from "../../../src/start/settings.ts";
import { openLocally } from "../../../src/store/engines/embedded/local.ts";

const folder = mkdtempSync(join(tmpdir(), "sampling-router-doctor-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const newStateDir = (): string => mkdtempSync(join(folder, "state-"));

function settingsWith(env: Record<string, string>) {
  const settings = parseSettings({ STATE_DIR: join(folder, "none"), ...env });
  if (!settings.ok) throw new Error(settings.error);
  return settings.value;
}
const brief = (findings: readonly Finding[]) =>
  findings.map(({ check, level }) => `${level} ${check}`);
const isAdvised = (findings: readonly Finding[]): boolean =>
  findings.every(({ level, advice }) => (level === "ok") === (advice === null));

describe("exposure", () => {
  const gateway = { PUBLIC_URL: "https://router.example", TRUSTED_PROXIES: "127.0.0.1" };
  it.each([
    ["loopback alone", {}, ["ok exposure"]],
    ["a gateway before it", gateway, ["ok exposure"]],
    ["every network, without TLS", { HOST: "0.0.0.0" }, ["warning exposure"]],
    [
      "a public URL without TLS",
      { ...gateway, PUBLIC_URL: "http://router.example" },
      ["fault exposure"],
    ],
    ["a gateway that is not believed", { PUBLIC_URL: gateway.PUBLIC_URL }, ["warning exposure"]],
    [
      "private upstreams for others",
      { ...gateway, ALLOW_PRIVATE_UPSTREAMS: "true" },
      ["warning exposure"],
    ],
    [
      "a short token for others",
      { ...gateway, ADMIN_TOKEN: "sixteen-letters-" },
      ["warning exposure"],
    ],
  ])("of %s", (_, env, expected) => {
    const found = exposureOf(settingsWith(env), env);
    expect(brief(found)).toEqual(expected);
    expect(isAdvised(found)).toBe(true);
    expect(JSON.stringify(found)).not.toContain("sixteen-letters-");
  });
});

describe("the state folder", () => {
  it("is a fault where others may read it, its secrets or .env", () => {
    const stateDir = newStateDir();
    const here = newStateDir();
    writeFileSync(join(stateDir, "secrets.json"), "{}", { mode: 0o644 });
    writeFileSync(join(here, ".env"), "", { mode: 0o644 });
    const settings = settingsWith({ STATE_DIR: stateDir });
    expect(brief(permissionsOf(settings, here))).toEqual([
      "fault permissions",
      "fault permissions",
    ]);
    chmodSync(join(stateDir, "secrets.json"), 0o600);
    chmodSync(join(here, ".env"), 0o600);
    expect(brief(permissionsOf(settings, here))).toEqual(["ok permissions"]);
    chmodSync(stateDir, 0o755);
    expect(brief(permissionsOf(settings, here))).toEqual(["fault permissions"]);
  });

  it.each([
    ["damaged", "{", {}, "fault secrets"],
    ["without a master key that the start was given", '{"credentials":{}}', {}, "fault secrets"],
    [
      "whole",
      JSON.stringify({
        credentials: {},
        masterKey: Buffer.alloc(32).toString("base64"),
        adminToken: "x".repeat(20),
      }),
      {},
      "ok secrets",
    ],
    [
      "in a change of the master key",
      '{"credentials":{}}',
      {
        MASTER_KEY: Buffer.alloc(32).toString("base64"),
        MASTER_KEY_PREVIOUS: Buffer.alloc(32, 1).toString("base64"),
        ADMIN_TOKEN: "x".repeat(20),
      },
      "warning secrets",
    ],
  ])("has secrets that are %s", (_, text, env, expected) => {
    const stateDir = newStateDir();
    writeFileSync(join(stateDir, "secrets.json"), text, { mode: 0o600 });
    const found = secretsOf(settingsWith({ STATE_DIR: stateDir, ...env }));
    expect(brief(found)).toEqual([expected]);
    expect(isAdvised(found)).toBe(true);
  });
});

describe("the embedded database", () => {
  const migrations = readMigrations(checkout);
  async function made(stateDir: string, change: string[] = [], some = migrations): Promise<void> {
    const opened = openLocally(makeEmbeddedFolder(stateDir), "writes");
    const applied = await applyMigrations(opened.db, some, "it");
    expect(applied.ok).toBe(true);
    for (const sql of change) opened.exec(sql);
    opened.close();
  }
  async function examined(stateDir: string): Promise<Finding[]> {
    const found: Finding[] = [];
    for await (const each of databasesOf(settingsWith({ STATE_DIR: stateDir }))) found.push(each);
    expect(isAdvised(found)).toBe(true);
    return found;
  }

  it("is fine where it is not there yet, and where it is whole", async () => {
    const stateDir = newStateDir();
    expect(brief(await examined(stateDir))).toEqual(["ok database"]);
    await made(stateDir);
    expect(brief(await examined(stateDir))).toEqual([
      "ok database",
      "ok migrations",
      "ok clock",
      "warning providers",
    ]);
  });

  it.each([
    ["lacks migrations", ["delete from migrations"], migrations, "warning migrations"],
    [
      "is of a newer version that took something away",
      ["insert into migrations (hash, name) values ('', '9999_contract_later.sql')"],
      migrations,
      "fault migrations",
    ],
  ] as const)("says where it %s", async (_, change, some, expected) => {
    const stateDir = newStateDir();
    await made(stateDir, [...change], [...some]);
    expect(brief(await examined(stateDir))).toEqual(["ok database", expected]);
  });

  it("warns of a newer version that only added", async () => {
    const stateDir = newStateDir();
    await made(stateDir, ["insert into migrations (hash, name) values ('', '9999_later.sql')"]);
    expect(brief(await examined(stateDir))).toContain("warning migrations");
  });

  /** A row with these columns; whatever else it must have is nothing in particular. */
  function fill(stateDir: string, table: string, values: Record<string, string>): void {
    const opened = openLocally(makeEmbeddedFolder(stateDir), "writes");
    const columns = JSON.parse(
      String(
        opened.one(
          `select json_group_array(json_object('name', name, 'type', type)) from pragma_table_info('${table}') where "notnull" = 1 and dflt_value is null`,
        ),
      ),
    ) as { name: string; type: string }[];
    const value = ({ name, type }: { name: string; type: string }): string =>
      values[name] ?? (/int|real/i.test(type) ? "0" : "'x'");
    opened.exec(
      `insert into ${table} (${columns.map(({ name }) => `"${name}"`).join()}) values (${columns.map(value).join()})`,
    );
    opened.close();
  }

  it("says where another MASTER_KEY sealed it", async () => {
    const stateDir = newStateDir();
    await made(stateDir);
    fill(stateDir, "credentials", { provider: "'openai'", sealed: "'v2.aaaaaaaaaaaa.x'" });
    writeFileSync(
      join(stateDir, "secrets.json"),
      JSON.stringify({ credentials: {}, masterKey: Buffer.alloc(32, 2).toString("base64") }),
      { mode: 0o600 },
    );
    expect(brief(await examined(stateDir))).toContain("fault secrets");
  });

  it("says where the clock was set back, and where a provider refused a key", async () => {
    const stateDir = newStateDir();
    await made(stateDir);
    fill(stateDir, "sampling_requests", { created_at: String(Date.UTC(2100, 0, 1)) });
    fill(stateDir, "credentials", { status: "'failing'", provider: "'openai'" });
    const found = await examined(stateDir);
    expect(found.find(({ check }) => check === "clock")?.says).toMatch(
      /^the newest record of .* is from 2100-01-01T00:00:00Z, but this clock says 20\d\d-\S+Z: it was set back$/,
    );
    expect(brief(found)).toEqual([
      "ok database",
      "ok migrations",
      "fault clock",
      "warning providers",
    ]);
  });

  it("says where it is corrupted", async () => {
    const stateDir = newStateDir();
    writeFileSync(
      makeEmbeddedFolder(stateDir),
      "no database, for as long as a page is".repeat(300),
    );
    expect(brief(await examined(stateDir))).toEqual(["fault database"]);
  });
});

it("says that a libSQL server does not answer, and never with which token it was asked", async () => {
  const env = { DATABASE_URL: "http://127.0.0.1:9", DATABASE_AUTH_TOKEN: "token-of-it" };
  const found: Finding[] = [];
  for await (const each of databasesOf(settingsWith(env))) found.push(each);
  expect(brief(found)).toEqual(["fault database"]);
  expect(JSON.stringify(found)).not.toContain("token-of-it");
});

describe("a router", () => {
  const holding = (stateDir: string, pid: number, port: number): void =>
    writeFileSync(join(stateDir, "runtime.json"), JSON.stringify({ pid, port }));

  it("that ended in order counts as none, and one that was killed is said", async () => {
    const stateDir = newStateDir();
    const settings = settingsWith({ STATE_DIR: stateDir });
    expect([brief(await runningOf(settings)), runningPort(settings)]).toEqual([
      ["ok router"],
      null,
    ]);
    holding(stateDir, process.pid, 8_790);
    expect(runningPort(settings)).toBe(8_790);
    holding(stateDir, 2 ** 30, 1);
    expect(runningPort(settings)).toBeNull();
    const found = await runningOf(settingsWith({ STATE_DIR: stateDir }));
    expect(brief(found)).toEqual(["warning router"]);
    expect(isAdvised(found)).toBe(true);
  });

  it.each([
    ["have not run", null],
    ["last ran long ago", { at: 0, ok: true }],
  ])("that does not answer, and whose jobs %s, is at fault twice", async (_, run) => {
    const stateDir = newStateDir();
    // No program may listen at port 1 of a machine that runs this.
    holding(stateDir, process.pid, 1);
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(join(stateDir, "runtime.json"), longAgo, longAgo);
    if (run !== null) noteScheduleRun(stateDir, run);
    const found = await runningOf(settingsWith({ STATE_DIR: stateDir }));
    expect(brief(found)).toEqual(["fault router", "fault schedule"]);
    expect(isAdvised(found)).toBe(true);
  });

  it.each([
    [
      "is not ready, and whose jobs failed",
      503,
      { at: Date.now(), ok: false },
      ["fault router", "fault schedule"],
    ],
    [
      "is ready, and whose jobs ran",
      200,
      { at: Date.now(), ok: true },
      ["ok router", "ok schedule"],
    ],
    [
      "has just started beside a run of long ago",
      200,
      { at: 0, ok: true },
      ["ok router", "ok schedule"],
    ],
  ])("that %s", async (_, status, run, expected) => {
    const server = createServer((_request, response) => response.writeHead(status).end("{}"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const stateDir = newStateDir();
      holding(stateDir, process.pid, (server.address() as AddressInfo).port);
      noteScheduleRun(stateDir, run);
      const found = await runningOf(settingsWith({ STATE_DIR: stateDir }));
      expect(brief(found)).toEqual(expected);
      expect(isAdvised(found)).toBe(true);
    } finally {
      server.close();
    }
  });
});

it("says which provider is out of reach, sends none a key, and compares clocks", async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization ?? String(request.headers["x-api-key"] ?? "none"));
    response.writeHead(404, { Date: new Date(Date.UTC(2001, 8, 9)).toUTCString() }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const settings = settingsWith({
      OPENAI_API_KEY: "sk-a",
      OPENAI_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      ANTHROPIC_API_KEY: "sk-b",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9/v1",
    });
    const found = await reachesOf(settings);
    expect(found.at(-1)?.says).toMatch(/^ANTHROPIC_API_KEY: 127\.0\.0\.1:9: \w/);
    expect(brief(found)).toEqual(["ok providers", "warning clock", "warning providers"]);
    expect(found[1]?.says).toMatch(/^this clock says 20\S+Z, http:\S+'s 2001-09-09T00:00:00Z$/);
    expect(seen).toEqual(["none"]);
  } finally {
    server.close();
  }
});

it("says which proxy requests take, and shows no password of its URL", () => {
  expect(proxiesOf(settingsWith({}).proxies)[0]?.says).toContain("none");
  const { proxies } = settingsWith({
    https_proxy: "http://user:secret@proxy.example:3128",
    HTTPS_PROXY: "http://unused.example",
    NO_PROXY: ".internal",
  });
  expect(proxiesOf(proxies)[0]?.says).toBe(
    "https via http://proxy.example:3128; http directly; directly to loopback and .internal",
  );
  expect(proxiesOf(settingsWith({ HTTP_PROXY: "http://all.example" }).proxies)[0]?.says).toBe(
    "https via http://all.example; http via http://all.example; directly to loopback",
  );
});

it.each(["HTTPS_PROXY", "http_proxy"])("refuses a %s that is no URL, without its value", (name) => {
  const parsed = parseSettings({ [name]: "socks5://user:secret@proxy.example" });
  expect(parsed).toMatchObject({
    ok: false,
    error: expect.stringMatching(new RegExp(`^${name.toUpperCase()} must be`)),
  });
  expect(JSON.stringify(parsed)).not.toContain("secret");
});

it("prints each finding with its advice, and counts faults and warnings", () => {
  expect(
    linesOf([
      { check: "clock", level: "ok", says: "right", advice: null },
      { check: "secrets", level: "fault", says: "lost", advice: "Restore them." },
    ]),
  ).toEqual([
    "ok       clock       right",
    "FAULT    secrets     lost",
    `${" ".repeat(21)}→ Restore them.`,
    "1 fault, 0 warnings.",
  ]);
});
