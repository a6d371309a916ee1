/** Failover, circuits, failing credentials and measured speed, seen from outside. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { adminOf, asking, callOnce, createTenant, until, type Answered } from "../fakes/caller.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { isSecondHost, onOneHost } from "../setup/on-both-hosts.ts";

let router: SharedRouter;
let shaky: FaultyProvider;
let steady: FaultyProvider;
/** its mode `slow` outlasts every deadline */
let hanging: FaultyProvider;

beforeAll(async () => {
  [shaky, steady, hanging] = await Promise.all([
    startFaultyProvider({ slowMs: 700 }),
    startFaultyProvider({ slowMs: 700 }),
    startFaultyProvider({ slowMs: 600_000 }),
  ]);
  router = await borrowRouter();
});
afterAll(async () => {
  await Promise.all([shaky?.stop(), steady?.stop(), hanging?.stop()]);
});
beforeEach(() => {
  for (const provider of [shaky, steady, hanging]) {
    provider.setMode("fine");
    provider.clear();
  }
});

/** A tenant whose cheaper and faster model is at the shaky provider. */
async function tenant(slug: string, policy: unknown = {}, first = shaky) {
  const made = await createTenant(router, slug, {
    provider: "shaky",
    baseUrl: first.url("openai-compatible"),
    models: [{ id: "first", inputUsdPerMTok: 1, outputUsdPerMTok: 1, speed: 5 }],
    policy,
  });
  const admin = adminOf(router, router.adminToken);
  await admin("POST", `/tenants/${slug}/credentials`, {
    provider: "steady",
    name: "steady",
    apiKey: "k",
    baseUrl: steady.url("openai-compatible"),
    models: [{ id: "second", inputUsdPerMTok: 2, outputUsdPerMTok: 2, speed: 4 }],
  });
  return { ...made, admin, path: `/tenants/${slug}` };
}

const decisionOf = (answer: Answered): { model: string; attempts: number; requestId: string } =>
  answer.get("result._meta.sampling-router/decision") as ReturnType<typeof decisionOf>;

const route = async (key: string, params: unknown): Promise<Answered["body"]> => {
  const answer = await fetch(`${router.url}/v1/route`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(params),
  });
  return answer.json();
};

const ofFetch = ["reset", "cut"] as const;
const ofAnswers = ["broken", "garbage", "empty", "rate-limited"] as const;

describe("a provider that fails", () => {
  it("is in the list of credentials with its last call, until its key is replaced", async () => {
    const { key, admin, path } = await tenant("last-calls");
    const lastCalls = async () => {
      const { data } = (await admin("GET", `${path}/credentials`)).body as {
        data: { id: string; provider: string; lastCall: { at: number } | null }[];
      };
      return new Map(data.map(({ provider, ...its }) => [provider, its]));
    };
    expect((await lastCalls()).get("shaky")?.lastCall).toBeNull();
    shaky.setMode("broken");
    await callOnce(router, key, asking("hello"));
    const calls = await lastCalls();
    const at = expect.any(Number) as number;
    expect([calls.get("shaky")?.lastCall, calls.get("steady")?.lastCall]).toEqual([
      { at, ok: false, fault: { kind: "server", status: 500 } },
      { at, ok: true, fault: null },
    ]);
    await admin("PATCH", `${path}/credentials/${calls.get("shaky")?.id}`, { apiKey: "new" });
    expect((await lastCalls()).get("shaky")?.lastCall).toBeNull();
  });

  it.each(isSecondHost ? ofFetch : [...ofFetch, ...ofAnswers])(
    "%s: the next candidate answers, both attempts are recorded, and one is paid for",
    async (mode) => {
      const { key, admin, path } = await tenant(`failover-${mode}`);
      shaky.setMode(mode);
      const answer = await callOnce(router, key, asking("hello"));
      expect(decisionOf(answer)).toMatchObject({ model: "second", attempts: 2 });
      const record = await admin("GET", `${path}/requests/${decisionOf(answer).requestId}`);
      expect(record.body).toMatchObject({
        outcome: "succeeded",
        model: "steady/second",
        attempts: [
          { provider: "shaky", fault: expect.any(String), retryable: true },
          { provider: "steady", fault: null, status: 200, billed: "yes" },
        ],
      });
    },
  );

  onOneHost(() => {
    it("to accept the request is followed by another wire, as often as it happens", async () => {
      const { key, admin, path } = await tenant("failover-rejected");
      shaky.setMode("rejected");
      for (let count = 0; count < 3; count += 1) {
        const { requestId, ...decision } = decisionOf(await callOnce(router, key, asking("hello")));
        expect(decision).toMatchObject({ model: "second", attempts: 2 });
        const record = await admin("GET", `${path}/requests/${requestId}`);
        expect(record.get("attempts")).toMatchObject([
          { provider: "shaky", status: 400, reach: "request", billed: "no", retryable: true },
          { provider: "steady", fault: null, billed: "yes" },
        ]);
      }
    });

    it("to accept the request, like every other wire, ends the call", async () => {
      const { key } = await tenant("failover-refused");
      shaky.setMode("rejected");
      steady.setMode("rejected");
      const answer = await callOnce(router, key, asking("hello"));
      expect(answer.get("error.data")).toMatchObject({
        reason: "provider_failed",
        retryable: false,
        attempts: [
          { provider: "shaky", status: 400, retryable: false },
          { provider: "steady", status: 400, retryable: false },
        ],
      });
    });
  });

  onOneHost(() => {
    it("twice in a row is left alone for a while, and the dry run says why", async () => {
      const { key } = await tenant("circuit");
      shaky.setMode("broken");
      for (let count = 0; count < 2; count += 1)
        expect(decisionOf(await callOnce(router, key, asking("hello"))).attempts).toBe(2);
      expect(decisionOf(await callOnce(router, key, asking("hello")))).toMatchObject({
        model: "second",
        attempts: 1,
      });
      expect(shaky.requests()).toHaveLength(2);
      expect(await route(key, asking("hello"))).toMatchObject({
        model: "second",
        candidates: [{ model: "second" }, { model: "first", excludedBy: "circuit_open" }],
      });
    });
  });

  it("and hangs takes no more than its share of the deadline", async () => {
    const { key, admin, path } = await tenant("hanging", { deadlineMs: 3_000 }, hanging);
    hanging.setMode("slow");
    const answer = await callOnce(router, key, asking("hello"));
    const { requestId, ...decision } = decisionOf(answer);
    expect(decision).toMatchObject({ model: "second", attempts: 2 });
    const { body } = await admin("GET", `${path}/requests/${requestId}`);
    expect(body).toMatchObject({ attempts: [{ fault: "timeout" }, { fault: null }] });
  });

  onOneHost(() => {
    // Eight seconds pass: the least that a first attempt is given.
    it("and hangs is left earlier by calls of a size of which 20 answers are known", async () => {
      const { key, admin, path } = await tenant("impatient", {}, hanging);
      for (let count = 0; count < 20; count += 1) await callOnce(router, key, asking("hello"));
      // A change of the tenant makes the router read what was measured.
      await admin("PUT", `${path}/policy`, { deadlineMs: 45_000 });
      hanging.setMode("slow");
      const leaving = new AbortController();
      const unknown = callOnce(router, key, asking("hello", { maxTokens: 2_000 }), leaving);
      await until(() => hanging.requests()[20]);
      const known = callOnce(router, key, asking("hello"));
      const first = await Promise.race([known, unknown]);
      leaving.abort();
      await expect(unknown).rejects.toThrow();
      expect(first).toBe(await known);
      const { requestId, ...decision } = decisionOf(first);
      expect(decision).toMatchObject({ model: "second", attempts: 2 });
      const { body } = await admin("GET", `${path}/requests/${requestId}`);
      expect(body).toMatchObject({
        attempts: [{ fault: "timeout", billed: "maybe", costMicroUsd: 62 }, { billed: "yes" }],
      });
    });
  });
});

onOneHost(() => {
  describe("a credential that its provider refuses", () => {
    const refused = async (slug: string) => {
      const made = await tenant(slug);
      const one = `${made.path}/credentials/${made.credentialId}`;
      shaky.setMode("unauthorized");
      expect(decisionOf(await callOnce(router, made.key, asking("hello")))).toMatchObject({
        model: "second",
        attempts: 2,
      });
      const status = async () => (await made.admin("GET", one)).get("status");
      expect(await status()).toBe("failing");
      return { ...made, one, status };
    };

    it("is marked failing in the admin API, until it gets a new key", async () => {
      const { key, admin, one, status, credentialId } = await refused("refused");
      const events = await adminOf(router, key)("GET", "/events?limit=5");
      expect(events.get("data.0")).toMatchObject({
        action: "credential.failing",
        actor: "router",
        target: credentialId,
      });
      expect(await route(key, asking("hello"))).toMatchObject({
        candidates: [{ model: "second" }, { model: "first", excludedBy: "credential_failing" }],
      });
      shaky.setMode("fine");
      await admin("PATCH", one, { apiKey: "new" });
      expect(await status()).toBe("active");
      expect(decisionOf(await callOnce(router, key, asking("hello"))).model).toBe("first");
    });

    it("is active again as soon as a check finds that its provider takes the key", async () => {
      const { key, admin, one, status, credentialId } = await refused("refused-once");
      expect((await admin("POST", `${one}/check`)).get("ok")).toBe(false);
      expect(await status()).toBe("failing");
      shaky.setMode("fine");
      for (let count = 0; count < 2; count += 1)
        expect((await admin("POST", `${one}/check`)).get("ok")).toBe(true);
      expect(await status()).toBe("active");
      const events = (await adminOf(router, key)("GET", "/events?limit=5")).get("data");
      expect((events as { action: string }[]).map(({ action }) => action).slice(0, 2)).toEqual([
        "credential.active",
        "credential.failing",
      ]);
      expect(events).toMatchObject([
        { target: credentialId },
        { target: credentialId },
        {},
        {},
        {},
      ]);
      expect(decisionOf(await callOnce(router, key, asking("hello"))).model).toBe("first");
    });
  });
});

onOneHost(() => {
  describe("measured speed", () => {
    it("beats the tier: a model that became slow loses its rank, and the catalogue shows the measured speed", async () => {
      const { key, admin, path } = await tenant("measured");
      const fast = {
        ...asking("hello"),
        modelPreferences: { speedPriority: 1, costPriority: 0, intelligencePriority: 0 },
      };
      expect(await route(key, fast)).toMatchObject({ model: "first" });
      for (let count = 0; count < 4; count += 1)
        await callOnce(router, key, {
          ...fast,
          modelPreferences: { hints: [{ name: "second" }] },
        });
      shaky.setMode("slow");
      for (let count = 0; count < 6; count += 1)
        await callOnce(router, key, { ...fast, modelPreferences: { hints: [{ name: "first" }] } });
      expect(await route(key, fast)).toMatchObject({
        model: "second",
        candidates: [
          { model: "second", measured: { samples: 4 } },
          { model: "first", measured: { samples: 6 } },
        ],
      });
      const models = await admin("GET", `${path}/models?limit=200&cursor=shaky/a`);
      expect(models.get("data.0")).toMatchObject({
        id: "first",
        measured: { samples: 6, p50Ms: expect.any(Number), tokensPerSecond: expect.any(Number) },
      });
      expect((models.get("data.0.measured") as { p50Ms: number }).p50Ms).toBeGreaterThan(600);
    });
  });
});
