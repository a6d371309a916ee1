/** Records that outlive a crash. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, createTenant, openSession } from "../fakes/caller.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { startRouter, type Router } from "../fakes/router.ts";

const masterKey = Buffer.alloc(32, 7).toString("base64");
const adminToken = "operator-token-of-the-tests";
const model = { id: "one", tools: true, inputUsdPerMTok: 2, outputUsdPerMTok: 10 };

interface Row {
  id: string;
  outcome: string;
  reason: string | null;
  reservedTokens: number | null;
  costMicroUsd: number | null;
}
const recordsOf = async (router: Router, tenant: string): Promise<Row[]> => {
  const page = await adminOf(router, adminToken)("GET", `/tenants/${tenant}/requests?limit=200`);
  return page.get("data") as Row[];
};

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until<T>(read: () => Promise<T | null>, withinMs: number): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const found = await read();
    if (found !== null) return found;
    if (Date.now() > end) throw new Error("It did not happen in time.");
    await wait(250);
  }
}

/** The operator looks the call up at the provider, and tells the router what it cost. */
async function correct(router: Router, { id, costMicroUsd }: Row): Promise<void> {
  const admin = adminOf(router, adminToken);
  const path = "/tenants/crash";
  const usage = async () => {
    const [row] = (await admin("GET", `${path}/usage`)).get("data") as Record<string, unknown>[];
    return row;
  };
  const costUsd = (costMicroUsd ?? Number.NaN) / 1e6;
  expect(await usage()).toMatchObject({ unknown: 1, succeeded: 0, refused: 1, costUsd });
  const found = {
    outcome: "succeeded",
    inputTokens: 11,
    outputTokens: 12,
    costUsd: 0.000142,
    reason: "as the provider's invoice says",
  };
  const corrected = await admin("POST", `${path}/requests/${id}/correct`, found);
  expect(corrected.status).toBe(200);
  expect(corrected.body).toMatchObject({
    outcome: "unknown",
    costMicroUsd,
    correction: {
      outcome: "succeeded",
      costMicroUsd: 142,
      why: found.reason,
      actor: "operator",
    },
  });
  expect(await usage()).toMatchObject({
    unknown: 0,
    succeeded: 1,
    inputTokens: 11,
    outputTokens: 12,
    costUsd: 0.000142,
  });
  const [event] = (await admin("GET", "/events?limit=1")).get("data") as unknown[];
  expect(event).toMatchObject({
    action: "request.correct",
    target: id,
    detail: {
      why: found.reason,
      before: { outcome: "unknown", costMicroUsd },
      after: { outcome: "succeeded", inputTokens: 11, outputTokens: 12, costMicroUsd: 142 },
    },
  });
  for (const wrong of [
    { ...found, outcome: "unknown" },
    { ...found, costUsd: -1 },
    { ...found, costUsd: 0.0000001 },
    { ...found, reason: " " },
    { ...found, more: 1 },
  ]) {
    const refused = await admin("POST", `${path}/requests/${id}/correct`, wrong);
    expect([refused.status, refused.get("reason")]).toEqual([400, "invalid_params"]);
  }
}

describe("a crash during a provider call", () => {
  let faulty: FaultyProvider;
  let router: Router;

  beforeAll(async () => {
    faulty = await startFaultyProvider({ slowMs: 120_000 });
  });
  afterAll(async () => {
    await router?.stop();
    await faulty?.stop();
  });

  // Time is under test: the lease of the call that died runs out after half a minute and the deadline.
  it("leaves a record, marked unknown, charged as reserved, and frees its concurrency", async () => {
    const env = { MASTER_KEY: masterKey, ADMIN_TOKEN: adminToken, SCHEDULE_SECONDS: "1" };
    router = await startRouter({ env });
    const { stateDir } = router;
    const { key } = await createTenant({ ...router, adminToken }, "crash", {
      provider: "openai-compatible",
      baseUrl: faulty.url("openai-compatible"),
      models: [model],
      policy: {
        deadlineMs: 2_000,
        limits: { concurrent: 1, tokensPerMinute: 100_000, requestsPerMinute: 100 },
      },
    });
    faulty.setMode("slow");
    const session = await openSession(router, key);
    const keyed = asking("are you there", {
      metadata: { "sampling-router/idempotencyKey": "mine" },
    });
    const dying = session.sample(keyed).catch(() => null);
    await until(async () => (faulty.requests().length > 0 ? true : null), 10_000);
    const busy = await session.sample(asking("me too"));
    expect(busy.get("error.data.limit")).toBe("tenant.concurrent");
    await router.kill9();
    await dying;

    faulty.setMode("fine");
    router = await startRouter({ env: { ...env, PORT: new URL(router.url).port }, stateDir });
    const swept = await until(async () => {
      const records = await recordsOf(router, "crash");
      return records.find(({ outcome }) => outcome === "unknown") ?? null;
    }, 60_000);
    expect(swept.costMicroUsd).toBe(
      // 2 USD and 10 USD per million tokens, of what was estimated and what was allowed.
      ((swept.reservedTokens ?? 0) - 50) * 2 + 50 * 10,
    );
    expect(faulty.requests()).toHaveLength(1);
    const again = await openSession(router, key);
    // Nobody knows how the call ended, and it was charged, so its key gives no second try.
    const retried = await again.sample(keyed);
    expect(retried.get("error.code")).toBe(-502);
    expect(retried.headers.get("x-request-id")).toBe(swept.id);
    expect(faulty.requests()).toHaveLength(1);
    await correct(router, swept);
    const after = await again.sample(asking("and now"));
    expect(after.get("result.model")).toBe("openai-compatible/one");
    const records = await recordsOf(router, "crash");
    expect(records.map(({ outcome }) => outcome)).toEqual(["succeeded", "refused", "unknown"]);
  }, 120_000);
});
