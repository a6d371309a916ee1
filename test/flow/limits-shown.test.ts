/** What an administrator sees of limits, beside what callers hear. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, createTenant, openSession } from "../fakes/caller.ts";
import { startHoldingProvider, type HoldingProvider } from "../fakes/holding-provider.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

interface Shown {
  name: string;
  subject: string;
  unit: string;
  limit: number;
  used: number;
  reserved: number;
  left: number;
  resetsAt: number | null;
}

let router: SharedRouter;
let provider: HoldingProvider;
beforeAll(async () => {
  [router, provider] = await Promise.all([borrowRouter(), startHoldingProvider()]);
});
afterAll(() => provider.stop());

const operator = (method: string, path: string, body?: unknown) =>
  adminOf(router, router.adminToken)(method, path, body);

const shown = async (path: string): Promise<Shown[]> =>
  (await operator("GET", `${path}/limits`)).get("data") as Shown[];

describe("a budget that is set later", () => {
  it("begins with what was spent in its day and month", async () => {
    const slug = "budget-later";
    const path = `/tenants/${slug}`;
    const { key, keyId } = await createTenant(router, slug, {
      provider: "demo",
      models: [{ id: "demo-large", inputUsdPerMTok: 0, outputUsdPerMTok: 25_000 }],
      policy: { capture: "none" },
    });
    const session = await openSession(router, key);
    expect((await session.sample(asking("hello"))).text).toContain('"result"');
    const limits = { usdPerDay: 1, usdPerMonth: 1 };
    await operator("PATCH", `${path}/policy`, { limits });
    await operator("PATCH", `${path}/keys/${keyId}`, { limits });
    const before = await shown(path);
    expect(before).toHaveLength(4);
    const spent = before[0]?.used ?? 0;
    expect(spent).toBeGreaterThan(0);
    expect(before.map(({ used }) => used)).toEqual([spent, spent, spent, spent]);
    // Setting it again counts nothing twice.
    await operator("PATCH", `${path}/policy`, { limits: { usdPerMonth: 2 } });
    expect((await shown(path)).map(({ used }) => used)).toEqual([spent, spent, spent, spent]);
    const next = await session.sample({ ...asking("hello"), maxTokens: 39 });
    expect(next.get("error.data.reason")).toBe("budget_exceeded");
    expect(next.get("error.data.usedUsd")).toBe(spent);
  });
});

describe("a tag and a run", () => {
  const named = (tag?: string, run?: string) => ({
    ...asking("hello"),
    metadata: {
      ...(tag !== undefined && { "sampling-router/tag": tag }),
      ...(run !== undefined && { "sampling-router/run": run }),
    },
  });

  it("have limits of their own, which refusals name and records show", async () => {
    const slug = "limits-named";
    const path = `/tenants/${slug}`;
    const { key, keyId } = await createTenant(router, slug, {
      provider: "demo",
      policy: {
        tags: {
          required: true,
          allowed: ["night", "day"],
          limits: { night: { requestsPerDay: 2 } },
        },
        runs: { callsPerRun: 1 },
      },
    });
    const session = await openSession(router, key);
    const ask = (tag?: string, run?: string) => session.sample(named(tag, run));
    for (const tag of [undefined, "noon", "no tag", ""])
      expect((await ask(tag)).get("error.data.reason")).toBe("invalid_params");
    expect((await ask("night", "one")).text).toContain('"result"');
    const refused = await ask("day", "one");
    expect(refused.get("error.data")).toMatchObject({
      reason: "rate_limited",
      limit: "run.callsPerRun",
      node: "one",
      retryAfterMs: null,
    });
    expect((await ask("night", "two")).text).toContain('"result"');
    expect((await ask("night")).get("error.data")).toMatchObject({
      limit: "tag.requestsPerDay",
      node: "night",
    });
    expect((await ask("day")).text).toContain('"result"');
    expect(await shown(path)).toMatchObject([
      { name: "tag.requestsPerDay", subject: "tag:night", limit: 2, used: 2, left: 0 },
      { name: "run.callsPerRun", subject: `run:${keyId}:one`, limit: 1, used: 1, left: 0 },
      { name: "run.callsPerRun", subject: `run:${keyId}:two`, limit: 1, used: 1, left: 0 },
    ]);
    const records = (await operator("GET", `${path}/requests`)).get("data") as {
      asked: { tag?: string; run?: string } | null;
    }[];
    expect(records.map(({ asked }) => [asked?.tag, asked?.run])).toEqual(
      expect.arrayContaining([
        ["night", "two"],
        ["day", "one"],
        ["day", undefined],
      ]),
    );
  });
});

describe("a raise", () => {
  const slug = "limits-raised";
  const path = `/tenants/${slug}`;

  it("lets more calls in, and names who raised in the policy and in the log of events", async () => {
    const { key, keyId } = await createTenant(router, slug, {
      provider: "demo",
      keyLimits: { requestsPerDay: 1 },
    });
    const session = await openSession(router, key);
    const ask = () => session.sample(asking("hello"));
    expect((await ask()).text).toContain('"result"');
    expect((await ask()).get("error.data.limit")).toBe("key.requestsPerDay");
    const until = Date.now() + 3_600_000;
    const raise = { subject: keyId, limits: { requestsPerDay: 2 }, until, reason: "a launch" };
    const raised = await operator("PATCH", `${path}/policy`, {
      raises: [{ ...raise, by: "somebody else" }],
    });
    const named = [{ ...raise, by: "operator" }];
    expect(raised.get("raises")).toEqual(named);
    expect((await ask()).text).toContain('"result"');
    expect((await ask()).get("error.data.limit")).toBe("key.requestsPerDay");
    expect(await shown(path)).toMatchObject([{ subject: keyId, limit: 2, used: 2 }]);
    const events = (await operator("GET", "/events?limit=200")).get("data") as {
      action: string;
      detail: { raises?: object[] };
    }[];
    const changes = events.filter(({ action }) => action === "policy.replace");
    expect(changes.map(({ detail }) => detail.raises)).toContainEqual(named);
  });

  it("is refused where it has ended before it begins, or names no limit", async () => {
    const put = async (fields: object) => {
      const raise = {
        subject: "key_1",
        limits: { usdPerDay: 1 },
        until: 1,
        reason: "no",
        ...fields,
      };
      return (await operator("PATCH", `${path}/policy`, { raises: [raise] })).get("detail");
    };
    expect(await put({})).toContain("raises.0.until");
    expect(await put({ limits: {} })).toContain("Specify at least one limit.");
    const unknown = { runs: { newRunsPerDay: 3 } };
    const patched = await operator("PATCH", `${path}/policy`, unknown);
    expect(patched.get("detail")).toContain("runs.callsPerRun");
  });
});

describe("GET …/limits", () => {
  it("shows the limits of tenant, ceiling, server and key, each with what is left", async () => {
    const slug = "limits-shown";
    const path = `/tenants/${slug}`;
    const { key, keyId } = await createTenant(router, slug, {
      provider: "demo",
      policy: { limits: { requestsPerMinute: 5, usdPerMonth: 3 } },
      keyLimits: { requestsPerMinute: 2 },
    });
    await operator("PUT", `${path}/ceiling`, { limits: { requestsPerMinute: 100 } });
    const entry = { slug: "s", url: "https://server.test/mcp", sampling: "router" };
    const policy = { limits: { concurrent: 1 } };
    const server = await operator("POST", `${path}/servers`, { ...entry, policy });
    const session = await openSession(router, key);
    expect((await session.sample(asking("hello"))).text).toContain('"result"');
    const before = Date.now();
    const limits = await shown(path);
    const tenantId = (await operator("GET", path)).get("id");
    expect(limits.map(({ resetsAt: _, ...rest }) => rest)).toEqual([
      { ...said("tenant.requestsPerMinute", tenantId, "requests"), limit: 5, used: 1, left: 4 },
      { ...said("tenant.usdPerMonth", tenantId, "usd"), limit: 3, used: 0, left: 3 },
      { ...said("ceiling.requestsPerMinute", tenantId, "requests"), limit: 100, used: 1, left: 99 },
      { ...said("server.concurrent", server.get("id"), "calls"), limit: 1, used: 0, left: 1 },
      { ...said("key.requestsPerMinute", keyId, "requests"), limit: 2, used: 1, left: 1 },
    ]);
    const [rate, month, , running] = limits;
    expect(rate?.resetsAt).toBeGreaterThan(before - 5_000);
    expect(rate?.resetsAt).toBeLessThanOrEqual(Date.now() + 61_000);
    const now = new Date();
    expect(month?.resetsAt).toBe(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
    expect(running?.resetsAt).toBeNull();
    expect((await session.sample(asking("hello"))).text).toContain('"result"');
    expect((await session.sample(asking("hello"))).get("error.data.limit")).toBe(
      "key.requestsPerMinute",
    );
    expect((await shown(path)).at(-1)).toMatchObject({ used: 2, left: 0 });
  });

  it("tells what a call that runs has reserved from what was used", async () => {
    const slug = "limits-running";
    const path = `/tenants/${slug}`;
    const { key } = await createTenant(router, slug, {
      provider: "mine",
      baseUrl: provider.url,
      models: [{ id: "one", inputUsdPerMTok: 1_000, outputUsdPerMTok: 1_000 }],
      policy: { limits: { tokensPerMinute: 100_000, usdPerDay: 90, concurrent: 3 } },
    });
    const session = await openSession(router, key);
    const call = session.sample(asking("hello"));
    await expect.poll(() => provider.waiting()).toBe(1);
    const [tokens, running, usd] = await shown(path);
    expect(running).toMatchObject({ used: 1, reserved: 0, left: 2, resetsAt: null });
    for (const state of [tokens, usd]) {
      expect(state?.used).toBe(0);
      expect(state?.reserved).toBeGreaterThan(0);
      expect(state?.left).toBeCloseTo((state?.limit ?? 0) - (state?.reserved ?? 0), 6);
    }
    const { inputTokens, outputTokens } = provider.answerAll();
    expect((await call).text).toContain('"result"');
    const used = inputTokens + outputTokens;
    expect(await shown(path)).toMatchObject([
      { unit: "tokens", used, reserved: 0, left: 100_000 - used },
      { unit: "calls", used: 0, left: 3 },
      { unit: "usd", used: used / 1_000, reserved: 0 },
    ]);
  });

  it("leaves out keys that are revoked or over", async () => {
    const slug = "limits-gone";
    const path = `/tenants/${slug}`;
    const { keyId } = await createTenant(router, slug, {
      provider: "demo",
      keyLimits: { concurrent: 2 },
    });
    expect(await shown(path)).toHaveLength(1);
    const over = { name: "over", scopes: ["sampling"], limits: { concurrent: 1 } };
    const made = await operator("POST", `${path}/keys`, over);
    await operator("PATCH", `${path}/keys/${String(made.get("id"))}`, { expiresAt: 1 });
    expect(await shown(path)).toHaveLength(1);
    await operator("DELETE", `${path}/keys/${keyId}`);
    expect(await shown(path)).toEqual([]);
  });

  it("goes on page by page, and shows each limit once", async () => {
    const slug = "limits-paged";
    const path = `/tenants/${slug}`;
    await createTenant(router, slug, { provider: "demo", policy: { limits: { concurrent: 9 } } });
    const policy = { limits: { concurrent: 1 } };
    for (const name of ["a", "b", "c"])
      await operator("POST", `${path}/servers`, {
        slug: name,
        url: "https://server.test/mcp",
        sampling: "router",
        ...(name === "b" ? {} : { policy }),
      });
    for (const name of ["d", "e", "f"])
      await operator("POST", `${path}/keys`, { name, scopes: ["sampling"], limits: policy.limits });
    const names: string[] = [];
    for (let cursor: unknown = ""; cursor !== null;) {
      const query = cursor === "" ? "" : `&cursor=${String(cursor)}`;
      const page = await operator("GET", `${path}/limits?limit=2${query}`);
      names.push(...(page.get("data") as Shown[]).map(({ name, subject }) => `${name} ${subject}`));
      cursor = page.get("nextCursor");
    }
    expect(names.map((name) => name.split(".")[0])).toEqual([
      "tenant",
      "server",
      "server",
      "key",
      "key",
      "key",
    ]);
    expect(new Set(names).size).toBe(names.length);
  });
});

const said = (name: string, subject: unknown, unit: string) => ({
  name,
  subject,
  unit,
  reserved: 0,
});
