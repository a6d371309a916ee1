/** Several databases behind one router: real servers, each behind a relay that counts its requests. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createClient } from "@libsql/client/web";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseSettings } from "../../src/start/settings.ts";
import { startRelay, type Relay } from "../bench/relay.ts";
import { startAuthorizationServer } from "../fakes/authorization-server.ts";
import { adminOf, asking, at, callOnce, openSession, type Answered } from "../fakes/caller.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { startSqld, type Sqld } from "../fakes/sqld.ts";

const timeout = 60_000;
const run = promisify(execFile);
const masterKey = Buffer.alloc(32, 9).toString("base64");
const adminToken = "operators-own-token";

interface Behind {
  sqld: Sqld;
  relay: Relay;
  /** exchanges since the last look */
  taken(): number;
}

async function startBehind(): Promise<Behind> {
  const sqld = await startSqld();
  let seen = 0;
  const relay = await startRelay(sqld.url, () => (seen += 1));
  return {
    sqld,
    relay,
    taken() {
      const count = seen;
      seen = 0;
      return count;
    },
  };
}

let home: Behind;
let eu: Behind;
let us: Behind;
let router: Router;
let admin: ReturnType<typeof adminOf>;
const routers: Router[] = [];

const settings = () => ({
  DATABASE_URL: home.relay.url,
  DATABASE_URLS: `us=${us.relay.url},eu=${eu.relay.url}`,
  MASTER_KEY: masterKey,
  ADMIN_TOKEN: adminToken,
  // The jobs run once at the start, so a test counts its own round trips alone.
  SCHEDULE_SECONDS: "86400",
});
async function start(env: Record<string, string>): Promise<Router> {
  const started = await startRouter({ env });
  routers.push(started);
  return started;
}

beforeAll(async () => {
  [home, eu, us] = await Promise.all([startBehind(), startBehind(), startBehind()]);
  router = await start(settings());
  admin = adminOf(router, adminToken);
}, timeout);
afterAll(async () => {
  await Promise.all(routers.map((each) => each.stop()));
  for (const each of [home, eu, us]) {
    each?.relay.stop();
    await each?.sqld.stop();
  }
});

/** A tenant with the demo's credential; the token of a key with both scopes. */
async function tenantOn(slug: string, shard: string, on = admin): Promise<string> {
  const made = await on("POST", "/tenants", { slug, name: slug, shard });
  expect(made.status, made.text).toBe(201);
  const credential = await on("POST", `/tenants/${slug}/credentials`, {
    provider: "demo",
    name: "demo",
    apiKey: "x",
  });
  expect(credential.status).toBe(201);
  const key = await on("POST", `/tenants/${slug}/keys`, {
    name: "test",
    scopes: ["sampling", "tenant-admin"],
  });
  return String(key.get("key"));
}

const look = () => [home.taken(), eu.taken(), us.taken()];
/** Until nothing is sent any more: the scheduled jobs, the look for a newer catalogue. */
async function quiet(): Promise<void> {
  do {
    look();
    await new Promise((resolve) => setTimeout(resolve, 400));
  } while (look().some((count) => count > 0));
}
const reasonOf = (answer: Answered): unknown => answer.get("error.data.reason");

describe("the request path", () => {
  it("opens the caller's shard and no other", { timeout }, async () => {
    const keys = {
      eu: await tenantOn("path-eu", "eu"),
      us: await tenantOn("path-us", "us"),
      home: await tenantOn("path-home", "home"),
    };
    expect(keys.eu).toMatch(/^srk_[0-9a-z]{26}eu_/);
    expect(keys.home).toMatch(/^srk_[0-9a-z]{26}_/);
    // An isolate looks for a newer catalogue at the first call to each shard.
    for (const key of Object.values(keys)) await callOnce(router, key, asking("first"));
    await quiet();
    const order = ["home", "eu", "us"] as const;
    for (const shard of order) {
      const answer = await callOnce(router, keys[shard], asking("warm"));
      expect(answer.get("result.role")).toBe("assistant");
      // One round trip admits, one settles: as with one database.
      expect(look()).toEqual(order.map((name) => (name === shard ? 2 : 0)));
      const session = await openSession(router, keys[shard]);
      expect((await session.sample(asking("legacy"))).text).toContain('"result"');
      expect(session.sessionId).toMatch(
        shard === "home" ? /^ses_[0-9a-z]{26}$/ : new RegExp(`^ses_[0-9a-z]{26}${shard}$`),
      );
      expect(look().map((count) => count > 0)).toEqual(order.map((name) => name === shard));
    }
  });

  it("refuses a key of a shard that is in no setting, and asks nobody", { timeout }, async () => {
    const key = await tenantOn("unknown-shard", "eu");
    const forged = key.replace(/eu_/, "ap_");
    await quiet();
    const answer = await callOnce(router, forged, asking("hello"));
    expect(answer.status).toBe(401);
    expect(reasonOf(answer)).toBe("unauthorized");
    expect((await adminOf(router, forged)("GET", "/tenants")).status).toBe(401);
    expect(look()).toEqual([0, 0, 0]);
    // Another shard's database knows no such key, also with the right secret.
    for (const mark of ["us_", "_"])
      expect((await callOnce(router, key.replace(/eu_/, mark), asking("hello"))).status).toBe(401);
  });

  it("knows no session of another shard's tenant", { timeout }, async () => {
    const [one, other] = [await tenantOn("session-eu", "eu"), await tenantOn("session-us", "us")];
    const session = await openSession(router, one);
    const theft = await fetch(`${router.url}/v1/sampling`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${other}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "Mcp-Session-Id": session.sessionId ?? "",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "sampling/createMessage",
        params: asking("hello"),
      }),
    });
    expect(theft.status).toBe(404);
  });
});

describe("the admin API", () => {
  it("serves a tenant from its shard alone", async () => {
    const key = await tenantOn("admin-eu", "eu");
    await tenantOn("admin-us", "us");
    await callOnce(router, key, asking("hello"));
    const own = adminOf(router, key);
    await quiet();
    expect((await own("GET", "/tenants/admin-eu/requests")).get("data.0.outcome")).toBe(
      "succeeded",
    );
    expect((await own("GET", "/tenants")).get("data.0.slug")).toBe("admin-eu");
    expect((await own("GET", "/events")).get("data.0.action")).toBe("key.create");
    expect((await own("GET", "/tenants/admin-us")).status).toBe(404);
    expect((await own("POST", "/tenants", { slug: "mine", name: "x" })).status).toBe(403);
    expect(look()).toEqual([0, expect.any(Number), 0]);
    expect((await admin("GET", "/tenants/admin-eu/requests")).get("data")).toHaveLength(1);
  });

  it("shows an operator's lists from the home shard alone, with what the others delivered", async () => {
    const key = await tenantOn("delivered", "us");
    const tenantId = (await admin("GET", "/tenants/delivered")).get("id");
    await callOnce(router, key, asking("hello"));
    expect((await admin("PATCH", "/tenants/delivered", { name: "Renamed" })).status).toBe(200);
    await start(settings());
    const ofTenant = async () => {
      const rows = (await admin("GET", "/usage")).get("data") as Record<string, unknown>[];
      return rows.filter(({ group }) => group === tenantId);
    };
    await expect.poll(ofTenant, { timeout: 20_000 }).toMatchObject([{ requests: 1, succeeded: 1 }]);
    await quiet();
    const answers = [];
    for (const list of ["/tenants?limit=200", "/events?limit=200", "/usage?by=model"])
      answers.push(await admin("GET", list));
    expect(look()).toEqual([expect.any(Number), 0, 0]);
    const [listed, events, usage] = answers.map((answer) => answer.get("data") as object[]);
    expect(listed?.find((row) => at(row, "id") === tenantId)).toEqual({
      id: tenantId,
      slug: "delivered",
      name: "Renamed",
      shard: "us",
      createdAt: expect.any(Number),
      region: null,
      jurisdiction: null,
      state: "active",
    });
    expect(events?.filter((row) => at(row, "tenantId") === tenantId)).toHaveLength(4);
    expect(usage?.length).toBeGreaterThan(0);
    // What is deleted is gone from all three, but for the log.
    expect((await admin("DELETE", "/tenants/delivered")).status).toBe(204);
    expect(await ofTenant()).toEqual([]);
    expect((await admin("GET", "/events?limit=1")).get("data.0")).toMatchObject({
      action: "tenant.delete",
      target: tenantId,
    });
  });

  it("places no data where the databases are the operator's own", async () => {
    for (const [member, chosen] of [
      ["region", { region: "weur" }],
      ["jurisdiction", { jurisdiction: "eu" }],
    ] as const) {
      const asked = await admin("POST", "/tenants", { slug: "placed", name: "x", ...chosen });
      expect([asked.status, asked.get("path")]).toEqual([400, member]);
      expect(asked.get("detail")).toContain("Durable Object");
      const moved = await admin("PATCH", "/tenants/demo", { name: "x", ...chosen });
      expect([moved.status, moved.get("path")]).toEqual([400, member]);
      expect(moved.get("detail")).toContain("holds for good");
    }
    expect((await admin("GET", "/tenants/placed")).status).toBe(404);
  });

  it("keeps the operator's ceiling on the tenant's shard, and holds it there", async () => {
    const key = await tenantOn("ceiling-eu", "eu");
    const ceiling = { limits: { requestsPerMinute: 1 } };
    await quiet();
    expect((await admin("PUT", "/tenants/ceiling-eu/ceiling", ceiling)).body).toEqual(ceiling);
    expect((await admin("GET", "/tenants/ceiling-eu/ceiling")).body).toEqual(ceiling);
    expect(us.taken()).toBe(0);
    const asked = [
      await callOnce(router, key, asking("a")),
      await callOnce(router, key, asking("b")),
    ];
    expect(asked.map((answer) => answer.get("error.data.limit"))).toEqual([
      undefined,
      "ceiling.requestsPerMinute",
    ]);
    const own = adminOf(router, key);
    expect((await own("PUT", "/tenants/ceiling-eu/ceiling", { limits: {} })).status).toBe(403);
  });

  it("lists all shards' tenants and events, page by page", { timeout }, async () => {
    const slugs: string[] = [];
    for (const shard of ["us", "home", "eu", "us", "eu"]) {
      const slug = `list-${slugs.length}`;
      expect((await admin("POST", "/tenants", { slug, name: slug, shard })).status).toBe(201);
      slugs.push(slug);
    }
    const pages = async (path: string, of: string) => {
      const found: unknown[] = [];
      for (let cursor: unknown = null, first = true; first || cursor !== null; first = false) {
        const query = cursor === null ? "" : `&cursor=${String(cursor)}`;
        const page = await admin("GET", `${path}?limit=2${query}`);
        expect(page.status, page.text).toBe(200);
        found.push(...(page.get("data") as unknown[]).map((row) => at(row, of)));
        cursor = page.get("nextCursor");
      }
      return found;
    };
    const listed = await pages("/tenants", "slug");
    expect(listed.slice(0, 5)).toEqual(slugs.toReversed());
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toContain("demo");
    // The jobs of a minute, once.
    await start(settings());
    const isMade = (row: unknown) => at(row, "action") === "tenant.create";
    await expect
      .poll(
        async () => {
          const { get } = await admin("GET", "/events?limit=200");
          return (get("data") as unknown[]).filter(isMade).map((row) => at(row, "detail.slug"));
        },
        { timeout: 20_000 },
      )
      .toEqual(expect.arrayContaining(slugs));
    const ids = (await pages("/events", "id")) as string[];
    expect(ids).toEqual(ids.toSorted().toReversed());
    expect(new Set(ids).size).toBe(ids.length);
    const whole = await admin("GET", "/events?limit=200");
    expect(ids).toHaveLength((whole.get("data") as unknown[]).length);
  });

  it("gives a slug once, to one of 16 at once, and again after its deletion", async () => {
    const ask = (_: unknown, count: number) =>
      admin("POST", "/tenants", {
        slug: "unique",
        name: `${count}`,
        ...(count % 3 === 0 ? {} : { shard: ["", "eu", "us"][count % 3] }),
      });
    const ends = await Promise.all(Array.from({ length: 16 }, ask));
    const statuses = ends.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, ...Array.from({ length: 15 }, () => 409)]);
    expect((await admin("DELETE", "/tenants/unique")).status).toBe(204);
    expect((await admin("GET", "/tenants/unique")).status).toBe(404);
    const again = await admin("POST", "/tenants", { slug: "unique", name: "x", shard: "home" });
    expect(again.status).toBe(201);
    expect((await admin("POST", "/tenants", { slug: "x", name: "x", shard: "ap" })).status).toBe(
      400,
    );
  });
});

describe("a link without a key", () => {
  it("comes back to the shard that its state names", { timeout }, async () => {
    const fake = await startAuthorizationServer();
    const redirectUris = [`${router.url}/oauth/callback`];
    fake.clients.set("public", { secret: null, redirectUris });
    for (const shard of ["eu", "home"]) {
      const slug = `link-${shard}`;
      await tenantOn(slug, shard);
      const registered = await admin("POST", `/tenants/${slug}/servers`, {
        slug: "mine",
        url: fake.mcpUrl,
        sampling: "router",
        oauth: { grant: "authorization_code", clientId: "public" },
      });
      expect(registered.status, registered.text).toBe(201);
      const begun = await admin("POST", `/tenants/${slug}/servers/mine/authorize`);
      expect(begun.get("state")).toMatch(new RegExp(`^[\\w-]{43}\\.${shard}$`));
      const back = await fake.consent(String(begun.get("authorizationUrl")));
      const lost = new URL(back);
      lost.searchParams.set("state", `${String(begun.get("state")).slice(0, 43)}.us`);
      expect((await fetch(lost)).status).toBe(400);
      lost.searchParams.set("state", `${String(begun.get("state")).slice(0, 43)}.ap`);
      expect((await fetch(lost)).status).toBe(400);
      expect((await fetch(back)).status).toBe(200);
    }
    await fake.stop();
  });
});

describe("the scheduled jobs", () => {
  it("run on every shard: a lease that ran out is swept on each", { timeout }, async () => {
    const client = createClient({ url: us.sqld.url });
    const key = await tenantOn("swept", "us");
    await callOnce(router, key, asking("hello"));
    await client.execute(
      "update sampling_requests set outcome = 'admitted', lease_until = 1 where rowid in (select max(rowid) from sampling_requests)",
    );
    client.close();
    const other = await start(settings());
    await expect
      .poll(async () => (await admin("GET", "/tenants/swept/requests")).get("data.0.outcome"), {
        timeout: 20_000,
      })
      .toBe("unknown");
    await expect
      .poll(() => other.output(), { timeout: 20_000 })
      .toMatch(/"job":"sweep","changed":1,"shard":"us"/);
  });
});

describe("one shard out of reach", () => {
  it("is named to its own tenants, and the other tenants go on", { timeout }, async () => {
    const [dead, alive] = [await tenantOn("dead", "eu"), await tenantOn("alive", "us")];
    expect((await fetch(`${router.url}/health/ready`)).status).toBe(200);
    await eu.sqld.kill9();
    const refused = await callOnce(router, dead, asking("hello"));
    expect(reasonOf(refused)).toBe("unavailable");
    for (let count = 0; count < 3; count += 1)
      expect((await callOnce(router, alive, asking("hello"))).get("result.role")).toBe("assistant");
    const ready = await fetch(`${router.url}/health/ready`);
    expect(ready.status).toBe(503);
    const said = await ready.text();
    expect(JSON.parse(said)).toMatchObject({ outOfReach: ["eu"], missingMigrations: [] });
    expect(said).not.toContain("127.0.0.1");
    // Lists are the home shard's.
    for (const list of ["/tenants", "/events", "/usage"])
      expect((await admin("GET", list)).status).toBe(200);
    expect((await fetch(`${router.url}/.well-known/sampling-router/audit-keys.json`)).status).toBe(
      200,
    );
    expect((await admin("GET", "/tenants/dead")).status).toBe(503);
    expect((await admin("GET", "/tenants/alive")).status).toBe(200);
    // Begun there explicitly, it can't be; unasked, it goes where somebody answers.
    expect(
      (await admin("POST", "/tenants", { slug: "begun", name: "x", shard: "eu" })).status,
    ).toBe(503);
    for (const slug of ["elsewhere-1", "elsewhere-2", "elsewhere-3"]) {
      const made = await admin("POST", "/tenants", { slug, name: slug });
      expect(made.status).toBe(201);
      expect(made.get("shard")).not.toBe("eu");
    }
    await eu.sqld.restart();
    await expect
      .poll(async () => (await callOnce(router, dead, asking("hello"))).get("result.role"), {
        timeout: 20_000,
      })
      .toBe("assistant");
    // The claim that was left is nobody's hindrance.
    expect((await admin("GET", "/tenants/begun")).status).toBe(404);
    const finished = await admin("POST", "/tenants", { slug: "begun", name: "x" });
    expect([finished.status, finished.get("shard")]).toEqual([201, "eu"]);
  });
});

describe("the home shard out of reach", () => {
  it("stops neither callers nor administrators of other shards", { timeout }, async () => {
    const key = await tenantOn("independent", "us");
    await home.sqld.kill9();
    expect((await callOnce(router, key, asking("hello"))).get("result.role")).toBe("assistant");
    const own = adminOf(router, key);
    expect((await own("GET", "/tenants/independent/requests")).get("data")).toHaveLength(1);
    expect((await own("GET", "/tenants")).get("data.0.shard")).toBe("us");
    expect((await admin("GET", "/tenants/independent")).status).toBe(503);
    expect((await admin("POST", "/tenants", { slug: "new", name: "x", shard: "us" })).status).toBe(
      503,
    );
    await home.sqld.restart();
    await expect
      .poll(async () => (await admin("GET", "/tenants/independent")).status, { timeout: 20_000 })
      .toBe(200);
  });
});

describe("a shard that comes later", () => {
  it(
    "is added to a router with one database, whose ids stay as they were",
    { timeout },
    async () => {
      const [first, second] = await Promise.all([startSqld(), startSqld()]);
      const env = { DATABASE_URL: first.url, MASTER_KEY: masterKey, ADMIN_TOKEN: adminToken };
      const before = await startRouter({ env });
      const old = await tenantOn("old", "home", adminOf(before, adminToken));
      await before.stop();
      const after = await startRouter({ env: { ...env, DATABASE_URLS: `later=${second.url}` } });
      const operator = adminOf(after, adminToken);
      expect((await callOnce(after, old, asking("hello"))).get("result.role")).toBe("assistant");
      for (const shard of ["later", "home"])
        expect((await operator("POST", "/tenants", { slug: "old", name: "x", shard })).status).toBe(
          409,
        );
      // Home has two.
      const next = await operator("POST", "/tenants", { slug: "next", name: "x" });
      expect(next.get("id")).toMatch(/later$/);
      const slugs = ((await operator("GET", "/tenants")).get("data") as { slug: string }[]).map(
        ({ slug }) => slug,
      );
      expect(slugs).toEqual(["next", "old", "demo"]);
      await after.stop();
      await Promise.all([first.stop(), second.stop()]);
    },
  );

  it("stands beside the embedded database too", { timeout }, async () => {
    const mixed = await startRouter({
      env: { DATABASE_URLS: `far=${us.sqld.url}`, MASTER_KEY: masterKey, ADMIN_TOKEN: adminToken },
    });
    const operator = adminOf(mixed, adminToken);
    for (const shard of ["home", "far"]) {
      const key = await tenantOn(`mixed-${shard}`, shard, operator);
      expect((await callOnce(mixed, key, asking("hello"))).get("result.role")).toBe("assistant");
    }
    expect(mixed.output()).toContain("embedded, and 1 more shard");
    await mixed.stop();
  });
});

describe("settings", () => {
  it("that can't work are named, and nothing of them is shown", () => {
    for (const [env, setting] of [
      [{ DATABASE_URLS: "eu=file:secret" }, "DATABASE_URLS"],
      [{ DATABASE_URLS: "http://secret.test" }, "DATABASE_URLS"],
      [{ DATABASE_AUTH_TOKENS: "eu=secret" }, "DATABASE_AUTH_TOKENS"],
    ] as const) {
      const parsed = parseSettings(env);
      if (parsed.ok) throw new Error("the setting is taken");
      expect(parsed.error).toMatch(new RegExp(`^${setting} .*$`));
      expect(parsed.error).not.toContain("secret");
    }
  });

  it("npm run db:migrate brings every shard up to date", { timeout }, async () => {
    const [first, second] = await Promise.all([startSqld(), startSqld()]);
    const env = {
      PATH: process.env["PATH"] ?? "",
      DATABASE_URL: first.url,
      DATABASE_URLS: `eu=${second.url}`,
    };
    const migrate = async () =>
      (await run(process.execPath, ["src/cli/migrate.ts"], { env })).stdout;
    expect(await migrate()).toMatch(/^(Applied \S+ to home\n)+(Applied \S+ to eu\n)+$/);
    expect(await migrate()).toBe("Nothing to apply: home, eu are up to date.\n");
    await Promise.all([first.stop(), second.stop()]);
  });
});
