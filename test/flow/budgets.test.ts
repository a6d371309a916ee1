/** Budgets in USD, and usage, through the real router. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { maxInputTokens } from "../../src/domain/sampling/estimate.ts";
import { adminOf, asking, callOnce, createTenant, type Answered } from "../fakes/caller.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { expectProblem } from "./isolation.ts";

// Ten micro-USD a token, so that the input costs more than the output.
const model = { id: "one", inputUsdPerMTok: 10, outputUsdPerMTok: 10 };
const reply = { inputTokens: 12, outputTokens: 5 };
const replyMicroUsd = 17 * 10;
const dayMs = 86_400_000;
const hourMs = 3_600_000;

let router: SharedRouter;
let faulty: FaultyProvider;
let admin: ReturnType<typeof adminOf>;

beforeAll(async () => {
  [router, faulty] = await Promise.all([borrowRouter(), startFaultyProvider({ slowMs: 500 })]);
  admin = adminOf(router, router.adminToken);
});
afterAll(() => faulty?.stop());

const made = (slug: string, about: { policy?: unknown; keyLimits?: unknown }) =>
  createTenant(router, slug, {
    provider: "openai-compatible",
    baseUrl: faulty.url("openai-compatible"),
    models: [model],
    ...about,
  });

/** Micro-USD that one call reserves, from its dry run. */
async function reservedBy(key: string): Promise<number> {
  const response = await fetch(`${router.url}/v1/route`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(asking("hello")),
  });
  const { estimate } = (await response.json()) as {
    estimate: { inputTokens: number; outputTokens: number };
  };
  return (maxInputTokens(estimate.inputTokens) + estimate.outputTokens) * 10;
}

const untilMs = (answer: Answered, end: number): void => {
  const told = Number(answer.get("error.data.retryAfterMs"));
  expect(Math.abs(Date.now() + told - end)).toBeLessThan(30_000);
  expect(Number(answer.headers.get("retry-after"))).toBe(Math.ceil(told / 1_000));
};

describe("a budget", () => {
  it.each([
    ["the tenant's day", "usdPerDay", "tenant"],
    ["a key's month", "usdPerMonth", "key"],
  ] as const)(
    "admits what it has room for, and says until when it is spent: %s",
    async (...its) => {
      const [, name, scope] = its;
      const slug = `budget-${scope}`;
      const { key } = await made(slug, {});
      const reserved = await reservedBy(key);
      // Room for a second reservation, once the first call has given back what it did not use.
      const limits = { [name]: (reserved + replyMicroUsd) / 1e6 };
      const keyed = await admin("POST", `/tenants/${slug}/keys`, {
        name: "limited",
        scopes: ["sampling"],
        ...(scope === "key" ? { limits } : {}),
      });
      const limited = String(keyed.get("key"));
      if (scope === "tenant") await admin("PUT", `/tenants/${slug}/policy`, { limits });
      faulty.clear();
      faulty.setMode("fine");
      const first = await callOnce(router, limited, asking("hello"));
      expect(first.get("result._meta")).toMatchObject({
        "sampling-router/decision": { usage: reply, costUsd: replyMicroUsd / 1e6 },
      });
      const whole = reserved + replyMicroUsd;
      const limit = `${scope}.${name}`;
      const window = name === "usdPerDay" ? 86_400 : expect.any(Number);
      const policy = /q=(\d+);w=(\d+)/.exec(first.headers.get("ratelimit-policy") ?? "");
      expect(first.headers.get("ratelimit-policy")).toContain(`"${limit}"`);
      expect([Number(policy?.[1]), Number(policy?.[2])]).toEqual([whole, window]);
      expect(first.headers.get("ratelimit")).toContain(`"${limit}";r=${replyMicroUsd};t=`);
      expect((await callOnce(router, limited, asking("hello"))).get("error")).toBeUndefined();
      const refused = await callOnce(router, limited, asking("hello"));
      expect([refused.status, refused.get("error.code")]).toEqual([200, -402]);
      expect(refused.get("error.data")).toMatchObject({ reason: "budget_exceeded", limit });
      const today = new Date();
      untilMs(
        refused,
        name === "usdPerDay"
          ? Math.floor(Date.now() / dayMs) * dayMs + dayMs
          : Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1),
      );
      expect(faulty.requests()).toHaveLength(2);
      const [row] = (await admin("GET", `/tenants/${slug}/requests?limit=1`)).get(
        "data",
      ) as unknown[];
      expect(row).toMatchObject({ reason: "budget_exceeded", reasonDetail: limit });
    },
  );

  it("that has little left gives a short answer, and the record says so", async () => {
    const limits = { usdPerDay: (300 * 10) / 1e6 };
    const { key } = await made("budget-short", { keyLimits: limits });
    faulty.clear();
    faulty.setMode("fine");
    const answer = await callOnce(router, key, asking("hello", { maxTokens: 4_000 }));
    expect(answer.get("error")).toBeUndefined();
    expect(faulty.requests().map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { max_tokens: 256 },
    ]);
    const [row] = (await admin("GET", "/tenants/budget-short/requests?limit=1")).get("data") as {
      decision: { notes: string[] };
    }[];
    expect(row?.decision.notes).toContain(
      "limits: maxTokens lowered from 4000 to 256, because the remaining limit was too low",
    );
  });

  it("that only a running call has reserved lets the next one wait for its end", async () => {
    const { key } = await made("budget-waits", {});
    const limits = { usdPerDay: ((await reservedBy(key)) * 1.5) / 1e6 };
    await admin("PUT", "/tenants/budget-waits/policy", { limits });
    faulty.clear();
    faulty.setMode("slow");
    const both = [callOnce(router, key, asking("one")), callOnce(router, key, asking("two"))];
    for (const answer of await Promise.all(both)) expect(answer.get("error")).toBeUndefined();
    expect(faulty.requests()).toHaveLength(2);
  });

  it("that is smaller than the call refuses it without a time to retry", async () => {
    const { key } = await made("budget-tiny", { policy: { limits: { usdPerDay: 0.000001 } } });
    faulty.clear();
    const refused = await callOnce(router, key, asking("hello"));
    expect(refused.get("error.data")).toMatchObject({
      reason: "budget_exceeded",
      limit: "tenant.usdPerDay",
      retryAfterMs: null,
    });
    expect(refused.headers.get("retry-after")).toBeNull();
    expect(faulty.requests()).toHaveLength(0);
  });

  it("that was lowered below what is used says what was really used", async () => {
    const { key } = await made("budget-lowered", { policy: { limits: { usdPerDay: 10 } } });
    faulty.setMode("fine");
    expect((await callOnce(router, key, asking("hello"))).get("error")).toBeUndefined();
    const limitUsd = replyMicroUsd / 2e6;
    await admin("PUT", "/tenants/budget-lowered/policy", { limits: { usdPerDay: limitUsd } });
    const refused = await callOnce(router, key, asking("hello"));
    const usedUsd = replyMicroUsd / 1e6;
    expect(refused.get("error.data")).toMatchObject({ limitUsd, usedUsd });
  });

  it("excludes models of unknown price, and says so", async () => {
    const models = [model, { id: "unpriced" }];
    const about = {
      provider: "openai-compatible",
      baseUrl: faulty.url("openai-compatible"),
      models,
    };
    const { key } = await createTenant(router, "budget-unknown", about);
    const hinted = asking("hello", { modelPreferences: { hints: [{ name: "unpriced" }] } });
    faulty.setMode("fine");
    const free = await callOnce(router, key, hinted);
    expect(free.get("result.model")).toBe("openai-compatible/unpriced");
    const policy = { limits: { usdPerMonth: 100 } };
    await admin("PUT", "/tenants/budget-unknown/policy", policy);
    const priced = await callOnce(router, key, hinted);
    expect(priced.get("result.model")).toBe("openai-compatible/one");
    const allowedModels = ["*/unpriced"];
    await admin("PUT", "/tenants/budget-unknown/policy", { ...policy, allowedModels });
    const refused = await callOnce(router, key, hinted);
    expect(refused.get("error.code")).toBe(-422);
    expect(refused.text).toContain('"excludedBy":"unknown_price"');
  });

  it("is charged for what a lost connection may have cost, and for nothing after an HTTP error", async () => {
    const { key } = await made("budget-lost", { policy: { limits: { usdPerDay: 1 } } });
    const reserved = await reservedBy(key);
    const left = async (mode: "broken" | "reset") => {
      faulty.setMode(mode);
      await callOnce(router, key, asking("hello"));
      faulty.setMode("fine");
      const { headers } = await callOnce(router, key, asking("hello"));
      return Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
    };
    expect(await left("broken")).toBe(1e6 - reserved);
    expect(await left("reset")).toBe(1e6 - replyMicroUsd - 2 * reserved);
  });
});

describe("usage", () => {
  it("is grouped by hour and model unless the query says otherwise, and includes refused calls", async () => {
    const { key, keyId } = await made("usage", {});
    faulty.setMode("fine");
    for (let count = 0; count < 3; count += 1) await callOnce(router, key, asking("hello"));
    await callOnce(router, key, { messages: "none" });
    const rows = async (query: string) => {
      const answer = await admin("GET", `/tenants/usage/usage${query}`);
      expect(Object.keys(answer.body as object)).toEqual(["data", "names", "nextCursor"]);
      return answer.get("data") as Record<string, number>[];
    };
    const sums = (found: Record<string, number>[]) => ({
      requests: found.reduce((sum, row) => sum + (row["requests"] ?? 0), 0),
      refused: found.reduce((sum, row) => sum + (row["refused"] ?? 0), 0),
      cost: Math.round(found.reduce((sum, row) => sum + (row["costUsd"] ?? 0), 0) * 1e6),
    });
    const byModel = await rows("");
    expect(sums(byModel)).toEqual({ requests: 4, refused: 1, cost: 3 * replyMicroUsd });
    expect(new Set(byModel.map(({ group }) => group))).toEqual(
      new Set(["", "openai-compatible/one"]),
    );
    for (const { at } of byModel) expect(Number(at) % hourMs).toBe(0);
    const byKey = await rows("?by=key&bucket=day");
    expect(new Set(byKey.map(({ group }) => group))).toEqual(new Set([keyId]));
    for (const { at } of byKey) expect(Number(at) % dayMs).toBe(0);
    expect(sums(await rows("?by=server"))).toEqual(sums(byModel));
    expect(await rows(`?to=${Date.now() - dayMs}`)).toEqual([]);
    expect(await rows(`?from=${Date.now() + hourMs}`)).toEqual([]);
  });

  it.each([
    ["from=2&to=2", "to"],
    ["from=5&to=2", "to"],
    [`from=0&to=${31 * dayMs + 1}`, "to"],
    [`from=0&to=${366 * dayMs + 1}&bucket=day`, "to"],
    ["bucket=minute", "bucket"],
    ["by=tenant", "by"],
    ["from=yesterday", "from"],
  ])("refuses %s", async (query, path) => {
    const answer = await admin("GET", `/tenants/usage/usage?${query}`);
    expectProblem(answer, 400, "invalid_params");
    expect(answer.get("path")).toBe(path);
  });
});
