/** Seals, exports, retention and masking, from outside. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, callOnce, createTenant } from "../fakes/caller.ts";
import { startObjectStore, type ObjectStore } from "../fakes/object-store.ts";
import { startRouter, temporaryStateDir, type Router } from "../fakes/router.ts";
import { fromSource } from "../setup/from-source.ts";
import { patient } from "../setup/patience.ts";

const checkout = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sampling-router-audit-"));
const stateDir = temporaryStateDir();
const keys = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"));
const [first = "", second = ""] = keys;
let router: Router;
let store: ObjectStore;
let key: string;

beforeAll(async () => {
  store = await startObjectStore();
  router = await startRouter({
    stateDir,
    env: {
      MASTER_KEY: first,
      SCHEDULE_SECONDS: "1",
      AUDIT_SINK_URL: `${store.url}/audit/router`,
      AUDIT_SINK_ACCESS_KEY_ID: "writer",
      AUDIT_SINK_SECRET_ACCESS_KEY: "sink-canary",
      AUDIT_SINK_LOCK_DAYS: "30",
    },
  });
  ({ key } = await createTenant(router, "acme", {
    provider: "demo",
    policy: { capture: "full" },
  }));
});
afterAll(async () => {
  await router.stop();
  await store.stop();
  rmSync(folder, { recursive: true });
});

const admin = (path: string) => adminOf(router, router.adminToken)("GET", path);
const ask = async (text: string): Promise<string> => {
  const answer = await callOnce(router, key, asking(text));
  expect(answer.get("result.model")).toMatch(/^demo\//);
  return answer.headers.get("x-request-id") ?? "";
};
const download = async (query = "") => {
  const url = `${router.url}/admin/v1/tenants/acme/requests/export${query}`;
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${router.adminToken}` } });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const audit = async (...args: string[]): Promise<{ code: number; text: string }> => {
  const ran = promisify(execFile)(process.execPath, ["src/cli/audit.ts", "verify", ...args], {
    cwd: checkout,
    env: {
      ...process.env,
      ...fromSource,
      AWS_ACCESS_KEY_ID: "reader",
      AWS_SECRET_ACCESS_KEY: "reader's own",
      AWS_ENDPOINT_URL: store.url,
    },
  });
  try {
    const { stdout } = await ran;
    return { code: 0, text: stdout };
  } catch (cause) {
    const { code, stdout, stderr } = cause as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
};
const keyFile = async (name: string): Promise<string> => {
  const answer = await fetch(`${router.url}/.well-known/sampling-router/audit-keys.json`);
  expect(answer.status).toBe(200);
  return file(name, await answer.text());
};
/** The seal run comes once a second, and takes calls that ended five seconds ago. */
async function sealed(count: number): Promise<Record<string, unknown>[]> {
  for (;;) {
    const seals = (await admin("/tenants/acme/seals")).get("data") as Record<string, unknown>[];
    const held = seals.reduce((sum, seal) => sum + Number(seal["count"]), 0);
    if (held >= count) return seals;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

describe("the audit", () => {
  it("seals ended calls by itself, and lists its seals", async () => {
    await ask("one");
    await ask("two");
    const seals = await sealed(2);
    expect(seals.at(-1)).toMatchObject({ number: 1, version: 1, previous: "0".repeat(64) });
    const page = await admin("/tenants/acme/seals?limit=1");
    expect(page.get("data.0.number")).toBe(seals.length);
    expect((await admin("/tenants/acme/seals?cursor=x")).status).toBe(400);
  });

  it("exports what was just done, and the verifier passes it by the published keys", async () => {
    const id = await ask("three");
    const { status, headers, text } = await download();
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    expect(headers.get("content-disposition")).toContain('filename="acme-requests-0.ndjson"');
    expect(headers.get("x-next-cursor")).toBeNull();
    expect(text).toContain(id);
    const path = file("whole.ndjson", text);
    const pinned = ["--key", await keyFile("keys.json")];
    expect(await audit(path, ...pinned)).toMatchObject({
      code: 0,
      text: expect.stringContaining("Unchanged since the router wrote it.") as string,
    });
    const unpinned = await audit(path);
    expect(unpinned.code).toBe(3);
    expect(unpinned.text).toContain("key not pinned");

    const changed = file(
      "changed.ndjson",
      text.replace('"outcome":"succeeded"', '"outcome":"failed"'),
    );
    const line = 1 + text.split("\n").findIndex((each) => each.includes('"outcome":"succeeded"'));
    const told = await audit(changed, ...pinned);
    expect([told.code, told.text]).toEqual([1, expect.stringContaining(`line ${line}: req_`)]);
    const cut = await audit(file("cut.ndjson", text.slice(0, -200)), ...pinned);
    expect([cut.code, cut.text]).toEqual([1, expect.stringContaining("the end is cut off")]);
    expect((await audit(join(folder, "nothing"))).code).toBe(2);
  });

  it("passes the export of a caller whose name holds NUL", async () => {
    const strange = await createTenant(router, "strange", { provider: "demo" });
    const ask2026 = (maxTokens: number): Promise<Response> => {
      const params = asking("four", {
        maxTokens,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "a\0b", version: "1\0" },
          "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
        },
      });
      return fetch(`${router.url}/v1/sampling`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${strange.key}`,
          "Content-Type": "application/json",
          "MCP-Protocol-Version": "2026-07-28",
          "Mcp-Method": "sampling/createMessage",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params }),
      });
    };
    expect(await (await ask2026(50)).text()).toContain('"result"');
    expect(await (await ask2026(-1)).text()).toContain("invalid_params");
    const tenant = `${router.url}/admin/v1/tenants/strange`;
    const get = async (path: string): Promise<string> => {
      const headers = { Authorization: `Bearer ${router.adminToken}` };
      return (await fetch(`${tenant}${path}`, { headers })).text();
    };
    const path = file("strange.ndjson", await get("/requests/export"));
    const pinned = ["--key", await keyFile("keys-of-strange.json")];
    expect(await audit(path, ...pinned)).toMatchObject({ code: 0 });
    const listed = JSON.parse(await get("/requests")) as { data: { who: unknown }[] };
    const who = { clientName: "a\ufffdb", clientVersion: "1\ufffd" };
    expect(listed.data.map((record) => record.who)).toMatchObject([who, who]);
    expect(await get("/events")).not.toContain("audit.tampered");
  });

  it("names a refusal that was saved in an export's place, and says nothing of an end that it didn't reach", async () => {
    const pinned = ["--key", await keyFile("keys-of-refusal.json")];
    const refused = await fetch(`${router.url}/admin/v1/tenants/acme/requests/export`);
    const saved = await audit(file("refused.ndjson", await refused.text()), ...pinned);
    expect([saved.code, saved.text]).toEqual([
      1,
      expect.stringContaining("the router's refusal of one (unauthorized): export it again"),
    ]);
    const whole = (await download()).text;
    const changed = await audit(
      file("header.ndjson", whole.replace("header", "heade?")),
      ...pinned,
    );
    expect(changed.text).toContain("line 1: the header is missing or was changed");
    const empty = await audit(file("empty.ndjson", ""), ...pinned);
    expect([empty.code, empty.text]).toEqual([1, expect.stringContaining("the file is empty")]);
    for (const { text } of [saved, changed, empty]) expect(text).not.toContain("cut off");
  });

  it("says what it verified: tenant, filter, time of export, seals and records", async () => {
    const pinned = ["--key", await keyFile("keys-of-scope.json")];
    const before = Date.now();
    const path = file("scope.ndjson", (await download("?outcome=succeeded")).text);
    const { code, text } = await audit(path, ...pinned);
    expect(code).toBe(0);
    expect(text).toMatch(/^Tenant: acme \(ten_\w+\)$/m);
    expect(text).toMatch(/^Filter: outcome=succeeded$/m);
    const [, exportedAt = ""] = /^Exported: (\S+)$/m.exec(text) ?? [];
    expect(Date.parse(exportedAt)).toBeGreaterThanOrEqual(before - 1_000);
    const seals = (await sealed(3)).length;
    expect(text).toMatch(new RegExp(`^Seals: 1 to ${seals}$`, "m"));
    expect(text).toMatch(/^3 records, \d+ seals/m);
    const all = await audit(file("all.ndjson", (await download()).text), ...pinned);
    expect(all.text).toMatch(/^Filter: none$/m);
  });

  it("takes the export of the tenant that was asked for, and of no other", async () => {
    const pinned = ["--key", await keyFile("keys-of-tenant.json")];
    const path = file("tenant.ndjson", (await download()).text);
    expect((await audit(path, ...pinned, "--tenant", "acme")).code).toBe(0);
    const id = /\((ten_\w+)\)/.exec((await audit(path)).text)?.[1] ?? "";
    expect((await audit(path, ...pinned, "--tenant", id)).code).toBe(0);
    const other = await audit(path, ...pinned, "--tenant", "acm");
    expect([other.code, other.text]).toEqual([1, expect.stringContaining("another tenant")]);
    expect(other.text).toContain("NOT unchanged since the router wrote it.");
  });

  it("has no verdict where no file was read", async () => {
    const empty = mkdtempSync(join(folder, "empty-"));
    const told = await audit(empty, "--key", await keyFile("keys-of-nothing.json"));
    expect([told.code, told.text]).toEqual([2, expect.stringContaining("no file was read")]);
  });

  it("has no verdict on CSV, and says which format holds seals", async () => {
    const csv = await download("?format=csv");
    const { code, text } = await audit(file("records.csv", csv.text));
    expect([code, text]).toEqual([2, expect.stringContaining("is CSV, which has no seals")]);
  });

  it("tells how it is used, also when it is asked for what it does not know", async () => {
    expect(await audit("--help")).toMatchObject({
      code: 0,
      text: expect.stringContaining("usage:"),
    });
    const unknown = await audit("--all");
    expect(unknown.code).toBe(2);
    expect(unknown.text).toContain("usage:");
    expect(unknown.text).not.toContain("ERR_");
  });

  it("filters, and refuses an unknown filter", async () => {
    const { text } = await download("?outcome=failed");
    expect(text.split("\n").filter((line) => line.includes('"kind":"record"'))).toEqual([]);
    const { status } = await download("?format=xml");
    expect(status).toBe(400);
    expect((await download("?cursor=abc")).status).toBe(400);
    const csv = await download("?format=csv");
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.text.trimEnd().split("\r\n").length).toBe(1 + (await recordCount()));
  });

  it("masks secrets in what it captures", async () => {
    const secret = `srk_${"0".repeat(26)}_${"A".repeat(43)}`;
    const id = await ask(`my key is ${secret}, and Bearer ${"b7".repeat(16)}`);
    const found = await admin(`/tenants/acme/requests/${id}`);
    expect(found.text).toContain("my key is [masked router key], and Bearer [masked token]");
    expect(found.text).not.toContain("AAAA");
  });

  it("arrives in a store, locked, and is verified there: what the store changed or lost is found", async () => {
    const pinned = ["--key", await keyFile("keys-of-sink.json")];
    const tenantId = (await admin("/tenants/acme")).get("id") as string;
    const last = (await sealed(await recordCount())).at(0)?.["number"] as number;
    const place = `audit/router/${tenantId}/`;
    const named = (): string[] =>
      [...store.objects.keys()].filter((name) => name.startsWith(place)).toSorted();
    const suffix = `-${String(last).padStart(12, "0")}.ndjson`;
    await expect.poll(() => named().at(-1) ?? "none", { timeout: patient(20_000) }).toMatch(suffix);
    const check = () => audit("--sink", `s3://${place}`, ...pinned, "--tenant", "acme");
    const sound = await check();
    expect([sound.code, sound.text]).toEqual([
      0,
      expect.stringContaining("Unchanged since the router wrote it."),
    ]);
    expect(sound.text).toMatch(new RegExp(`^Seals: 1 to ${last}$`, "m"));
    expect(named().length).toBeGreaterThan(1);
    for (const name of named())
      expect(Date.parse(store.locks.get(name) ?? "")).toBeGreaterThan(Date.now() + 29 * 86_400_000);
    expect(store.accessKeys).toEqual(new Set(["writer", "reader"]));

    const [one = "", two = ""] = named();
    const text = store.objects.get(two) ?? "";
    store.objects.set(two, store.objects.get(one) ?? "");
    expect((await check()).text).toContain("does not follow seal");
    store.objects.set(two, text);
    // A cut end contradicts nothing, and is found by a head from elsewhere.
    const [head] = (await admin("/tenants/acme/seals?limit=1")).get("data") as { hash: string }[];
    store.objects.delete(named().at(-1) ?? "");
    const cut = await audit(
      "--sink",
      `s3://${place}`,
      ...pinned,
      "--head",
      `${tenantId}:${last}:${head?.hash}`,
    );
    expect(cut.code).toBe(1);
    expect(router.output()).not.toContain("sink-canary");
  });

  it("stays verifiable after MASTER_KEY has changed", async () => {
    await sealed(await recordCount());
    await router.stop();
    router = await startRouter({
      stateDir,
      env: {
        MASTER_KEY: second,
        MASTER_KEY_PREVIOUS: first,
        ADMIN_TOKEN: router.adminToken,
        SCHEDULE_SECONDS: "1",
      },
    });
    await ask("later").catch(() => null);
    const { text } = await download();
    const path = file("rotated.ndjson", text);
    const { keys: published } = JSON.parse(
      await (await fetch(`${router.url}/.well-known/sampling-router/audit-keys.json`)).text(),
    ) as { keys: { kid: string }[] };
    expect(published).toHaveLength(2);
    expect((await audit(path, "--key", await keyFile("both.json"))).code).toBe(0);
    const old = await audit(path, "--key", join(folder, "keys.json"));
    expect([old.code, old.text]).toEqual([1, expect.stringContaining("none of those given")]);
  });
});

async function recordCount(): Promise<number> {
  return ((await admin("/tenants/acme/requests?limit=200")).get("data") as unknown[]).length;
}
