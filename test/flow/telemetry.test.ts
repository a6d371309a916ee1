/** Traces and the log, of the product as it runs: from the caller's context to the collector. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseSettings } from "../../src/start/settings.ts";
import { asking, callOnce, createTenant, openSession, until } from "../fakes/caller.ts";
import { startCollector, type CollectedSpan, type Collector } from "../fakes/collector.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { borrowRouter, printedByRouter } from "../fakes/shared-router.ts";
import { onOneHost } from "../setup/on-both-hosts.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callersSpan = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${callersSpan}-01`;
const tracestate = "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7";

const collectorSecret = "CANARY-collector-77ab";
const keyCanary = "sk-CANARY-telemetry-4f1d";
const promptCanary = "CANARY-prompt-2b0c";

let router: Router;
let collector: Collector;
let faulty: FaultyProvider;
let spare: FaultyProvider;

beforeAll(async () => {
  collector = await startCollector();
  faulty = await startFaultyProvider({ slowMs: 60_000 });
  spare = await startFaultyProvider();
  router = await startRouter({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/otlp`,
      OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${collectorSecret}`,
      OTEL_SERVICE_NAME: "sampling-under-test",
    },
  });
});
afterAll(async () => {
  await router?.stop();
  await collector?.stop();
  await faulty?.stop();
  await spare?.stop();
});
beforeEach(() => {
  collector.clear();
  collector.setMode("fine");
  faulty.clear();
  faulty.setMode("fine");
  spare.clear();
});

let tenants = 0;
/** A tenant whose only model is at the provider that a test can make fail. */
async function newTenant(more: { policy?: unknown; keyLimits?: unknown } = {}) {
  tenants += 1;
  return createTenant(router, `telemetry-${tenants}`, {
    provider: "openai",
    apiKey: keyCanary,
    baseUrl: faulty.url("openai"),
    models: [{ id: "gpt-traced", inputUsdPerMTok: 1, outputUsdPerMTok: 2 }],
    ...more,
  });
}

interface Line {
  event: string;
  [name: string]: unknown;
}
const lines = (): Line[] =>
  router
    .output()
    .split("\n")
    .flatMap((text) => (text.startsWith('{"event"') ? [JSON.parse(text) as Line] : []));
const linesOf = (requestId: unknown): Line[] =>
  lines().filter((line) => line["requestId"] === requestId);
const lineOf = (requestId: unknown): Promise<Line> => until(() => linesOf(requestId)[0]);

/** The request's own span, then those of its attempts, oldest first. */
async function spansOf(requestId: unknown): Promise<[CollectedSpan, ...CollectedSpan[]]> {
  return until(() => {
    const its = collector
      .spans()
      .filter(({ attributes }) => attributes["sampling_router.request.id"] === requestId);
    const request = its.find(({ kind }) => kind === 2);
    const attempts = its.filter(({ kind }) => kind === 3);
    attempts.sort((a, b) => Number(a.startedAt - b.startedAt));
    return request === undefined ? undefined : [request, ...attempts];
  });
}

const idOf = ({ headers }: { headers: Headers }): string => headers.get("x-request-id") ?? "";

describe("a call in its caller's trace", () => {
  it("is a span of that trace, and tells its provider", async () => {
    const tenant = await newTenant();
    const session = await openSession(router, tenant.key);
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "sampling/createMessage",
      params: asking(promptCanary, { temperature: 0.5 }),
    };
    const answer = await session.send(JSON.stringify(body), {
      Accept: "application/json",
      traceparent,
      tracestate,
    });
    const id = idOf(answer);
    expect(answer.get("result.content")).toBeDefined();
    const [request, attempt, ...more] = await spansOf(id);
    expect(more).toEqual([]);
    expect(request).toMatchObject({
      traceId,
      parentSpanId: callersSpan,
      traceState: tracestate,
      name: "chat gpt-traced",
      status: 0,
      service: "sampling-under-test",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-traced",
        "gen_ai.response.model": "gpt-traced",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.request.max_tokens": 50,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 5,
        "sampling_router.key.id": tenant.keyId,
        "sampling_router.session.id": session.sessionId,
        "sampling_router.outcome": "succeeded",
        "sampling_router.cost_usd": 0.000022,
      },
    });
    expect(request.attributes).not.toHaveProperty("error.type");
    expect(attempt).toMatchObject({
      traceId,
      parentSpanId: request.spanId,
      name: "chat gpt-traced",
      status: 0,
      attributes: {
        "gen_ai.provider.name": "openai",
        "gen_ai.usage.output_tokens": 5,
        "server.address": "127.0.0.1",
        "server.port": Number(new URL(faulty.url("openai")).port),
        "http.response.status_code": 200,
        "sampling_router.credential.id": tenant.credentialId,
      },
    });
    if (attempt === undefined) return;
    expect(attempt.startedAt).toBeGreaterThanOrEqual(request.startedAt);
    expect(attempt.endedAt).toBeLessThanOrEqual(request.endedAt);
    const [sent] = faulty.requests();
    expect(sent?.headers["traceparent"]).toBe(`00-${traceId}-${attempt.spanId}-01`);
    expect(sent?.headers["tracestate"]).toBe(tracestate);
    // The provider's own headers are as they were.
    expect(sent?.headers["authorization"]).toBe(`Bearer ${keyCanary}`);
    expect(sent?.headers["content-type"]).toBe("application/json");

    const [exported] = collector.exports();
    expect(exported).toMatchObject({
      path: "/otlp/v1/traces",
      headers: { "content-type": "application/json", "x-collector-key": collectorSecret },
    });
    expect(await lineOf(id)).toMatchObject({
      event: "sampling",
      traceId,
      tenantId: request.attributes["sampling_router.tenant.id"],
      keyId: tenant.keyId,
      outcome: "succeeded",
      reason: null,
      provider: "openai",
      model: "gpt-traced",
      inputTokens: 12,
      outputTokens: 5,
      costUsd: 0.000022,
      attempts: [{ fault: null, status: 200 }],
      timingMs: Object.fromEntries(
        ["auth", "choose", "approve", "admit", "provider", "settle"].map((step) => [
          step,
          expect.any(Number),
        ]),
      ),
    });
    expect(linesOf(id)).toHaveLength(1);
  });

  onOneHost(() => {
    it("takes the message's own context before the HTTP request's", async () => {
      const { key } = await newTenant();
      const session = await openSession(router, key);
      const own = "11111111111111111111111111111111";
      const body = {
        jsonrpc: "2.0",
        id: 1,
        method: "sampling/createMessage",
        params: { ...asking("hello"), _meta: { traceparent: `00-${own}-${callersSpan}-01` } },
      };
      const answer = await session.send(JSON.stringify(body), { traceparent, tracestate });
      const [request] = await spansOf(idOf(answer));
      // The header's list belongs to the header's trace.
      expect(request).toMatchObject({ traceId: own, traceState: null });
    });
  });

  it.each([
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    `ff-${traceId}-${callersSpan}-01`,
    `00-${traceId}-${callersSpan}`,
    promptCanary,
  ])("begins a trace of its own for %s", async (malformed) => {
    const { key } = await newTenant();
    const answer = await callOnce(router, key, asking("hello"), {
      headers: { traceparent: malformed, tracestate },
    });
    const [request, attempt] = await spansOf(idOf(answer));
    expect(request).toMatchObject({ parentSpanId: null, traceState: null });
    expect(request.traceId).not.toBe(traceId);
    const [sent] = faulty.requests();
    expect(sent?.headers["traceparent"]).toBe(`00-${request.traceId}-${attempt?.spanId}-01`);
    expect(sent?.headers).not.toHaveProperty("tracestate");
  });

  it("that is not sampled hands its context on unchanged, and is not recorded", async () => {
    const { key } = await newTenant();
    const unsampled = `00-${traceId}-${callersSpan}-00`;
    const answer = await callOnce(router, key, asking("hello"), {
      headers: { traceparent: unsampled, tracestate },
    });
    expect((await lineOf(idOf(answer)))["traceId"]).toBe(traceId);
    const [sent] = faulty.requests();
    expect(sent?.headers["traceparent"]).toBe(unsampled);
    expect(sent?.headers["tracestate"]).toBe(tracestate);
    // Another call's spans arrive. The first call's own spans would have arrived before them.
    await spansOf(idOf(await callOnce(router, key, asking("hello"))));
    expect(collector.exports()).toHaveLength(1);
  });
});

onOneHost(() => {
  describe("what a caller sees of the time a call took", () => {
    const steps = ["auth", "choose", "approve", "admit", "provider", "settle"];

    it("is a header of a JSON answer, and in the decision", async () => {
      const { key } = await newTenant();
      const answer = await callOnce(router, key, asking("hello"));
      const timing = answer.get("result._meta.sampling-router/decision.timingMs") as object;
      expect(Object.keys(timing)).toEqual(steps);
      expect(answer.headers.get("server-timing")).toBe(
        Object.entries(timing)
          .map(([step, ms]) => `${step};dur=${ms}`)
          .join(", "),
      );
    });

    it("is in the decision of a stream, whose headers went before", async () => {
      const { key } = await newTenant();
      const session = await openSession(router, key);
      const answer = await session.sample(asking("hello"));
      expect(answer.headers.get("content-type")).toBe("text/event-stream");
      expect(answer.headers.get("server-timing")).toBeNull();
      const timing = answer.get("result._meta.sampling-router/decision.timingMs") as object;
      expect(Object.keys(timing)).toEqual(steps);
    });
  });
});

describe("a call that goes wrong", () => {
  it("has a span for each attempt of a failover", async () => {
    const tenant = await newTenant();
    const admin = await createSecondCredential(tenant.key);
    expect(admin).toBe(201);
    faulty.setMode("broken");
    const answer = await callOnce(router, tenant.key, asking("hello"));
    expect(answer.get("result.content")).toBeDefined();
    const [request, ...attempts] = await spansOf(idOf(answer));
    // A failure of the server's may be tried again where it was; the last one answered.
    expect(attempts.length).toBeGreaterThanOrEqual(2);
    expect(request).toMatchObject({ status: 0, attributes: { "gen_ai.provider.name": "groq" } });
    expect(attempts[0]).toMatchObject({
      status: 2,
      parentSpanId: request.spanId,
      attributes: { "error.type": "server", "http.response.status_code": 500 },
    });
    expect(attempts[0]?.attributes).not.toHaveProperty("gen_ai.usage.input_tokens");
    expect(attempts.at(-1)).toMatchObject({
      status: 0,
      parentSpanId: request.spanId,
      attributes: { "gen_ai.provider.name": "groq", "gen_ai.usage.input_tokens": 12 },
    });
    const sent = [...faulty.requests(), ...spare.requests()];
    expect(sent.map(({ headers }) => headers["traceparent"])).toEqual(
      attempts.map(({ spanId }) => `00-${request.traceId}-${spanId}-01`),
    );
    expect((await lineOf(idOf(answer)))["attempts"]).toHaveLength(attempts.length);
  });

  async function createSecondCredential(key: string): Promise<number> {
    const slug = `telemetry-${tenants}`;
    const answer = await fetch(`${router.url}/admin/v1/tenants/${slug}/credentials`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({
        provider: "groq",
        name: "spare",
        apiKey: keyCanary,
        baseUrl: spare.url("groq"),
        // This model is dear, so it is the second choice.
        models: [{ id: "spare", inputUsdPerMTok: 500, outputUsdPerMTok: 500 }],
      }),
    });
    return answer.status;
  }

  onOneHost(() => {
    it("that no provider answered has its reason", async () => {
      const { key } = await newTenant();
      faulty.setMode("rejected");
      const answer = await callOnce(router, key, asking(promptCanary));
      expect(answer.get("error.data.reason")).toBe("provider_failed");
      expect(answer.headers.get("server-timing")).toMatch(
        /^auth;dur=\d+, choose;dur=\d+, approve;dur=0, admit;dur=\d+, provider;dur=\d+, settle;dur=\d+$/,
      );
      const [request, attempt] = await spansOf(idOf(answer));
      expect(request).toMatchObject({
        status: 2,
        attributes: { "error.type": "provider_failed", "sampling_router.outcome": "failed" },
      });
      expect(attempt).toMatchObject({ status: 2, attributes: { "error.type": "invalid_request" } });
    });
  });

  it.each([
    ["invalid_params", { maxTokens: 5 }, {}],
    ["no_eligible_model", asking("draw"), { policy: { deniedModels: ["*/*"] } }],
    ["rate_limited", asking("hello"), { keyLimits: { tokensPerMinute: 1 } }],
  ])("that is refused, %s, has a span that says so", async (reason, params, more) => {
    const { key, keyId } = await newTenant(more);
    const answer = await callOnce(router, key, params, { headers: { traceparent } });
    expect(answer.get("error.data.reason")).toBe(reason);
    expect(answer.headers.get("server-timing")).toMatch(/^auth;dur=\d+$/);
    const id = idOf(answer);
    const [request, ...attempts] = await spansOf(id);
    expect(attempts).toEqual([]);
    expect(request).toMatchObject({
      traceId,
      parentSpanId: callersSpan,
      status: 2,
      attributes: {
        "error.type": reason,
        "sampling_router.outcome": "refused",
        "sampling_router.key.id": keyId,
      },
    });
    expect(await lineOf(id)).toMatchObject({ outcome: "refused", reason, traceId });
    expect(faulty.requests()).toEqual([]);
  });

  it("in a batch is exported with the others, once", async () => {
    const { key } = await newTenant();
    const session = await openSession(router, key, { revision: "2025-03-26" });
    const message = (id: number) => ({
      jsonrpc: "2.0",
      id,
      method: "sampling/createMessage",
      params: asking("hello"),
    });
    const answer = await session.send(JSON.stringify([message(1), message(2), message(3)]));
    expect(answer.status).toBe(200);
    await until(() => (collector.spans().length === 6 ? true : undefined));
    expect(collector.exports()).toHaveLength(1);
  });
});

describe("a call beside another of its tenant", () => {
  it("is exported while the other one runs, and after its client left", async () => {
    const { key } = await newTenant();
    faulty.setMode("slow");
    const leaving = new AbortController();
    // The Workers runtime notices only where it writes that a caller has left.
    const headers = { Accept: "application/json, text/event-stream" };
    const left = callOnce(router, key, asking("hello"), { headers, signal: leaving.signal });
    const hasLeft = left.then(
      () => false,
      () => true,
    );
    await until(() => (faulty.requests().length === 1 ? true : undefined));
    faulty.setMode("fine");
    const beside = await callOnce(router, key, asking("hello"));
    expect(await spansOf(idOf(beside))).toHaveLength(2);
    const beforeItLeaves = await callOnce(router, key, asking("hello"));
    leaving.abort();
    expect(await hasLeft).toBe(true);
    const after = await callOnce(router, key, asking("hello"));
    expect(await spansOf(idOf(beforeItLeaves))).toHaveLength(2);
    expect(await spansOf(idOf(after))).toHaveLength(2);
    await until(() => (collector.spans().length === 8 ? true : undefined));
  });
});

describe("a collector that fails", () => {
  it.each([
    ["broken", "status 500"],
    ["redirects", "status 307"],
    ["rejects", "rejected 2"],
    ["silent", "the request timed out"],
  ] as const)("%s: the answer is the same, and one line says %s", async (mode, fault) => {
    const { key } = await newTenant();
    collector.setMode(mode);
    const before = lines().filter(({ event }) => event === "telemetry").length;
    const answer = await callOnce(router, key, asking(promptCanary));
    expect(answer.get("result.content")).toBeDefined();
    const told = await until(() => {
      const found = lines().filter(({ event }) => event === "telemetry");
      return found.length > before ? found.slice(before) : undefined;
    });
    expect(told).toEqual([
      { event: "telemetry", fault: expect.stringContaining(fault) as string, spans: 2 },
    ]);
    // Whatever it said to a redirect: nobody followed, nobody tried again.
    expect(collector.exports()).toHaveLength(1);
  });
});

describe("no text of a call, and no secret,", () => {
  // cites: S-054
  it("is in any span or line", async () => {
    const { key } = await newTenant();
    const session = await openSession(router, key);
    for (const mode of ["fine", "unauthorized", "garbage", "misshapen"] as const) {
      faulty.setMode(mode);
      const answer = await session.sample(
        asking(promptCanary, {
          systemPrompt: promptCanary,
          modelPreferences: { hints: [{ name: promptCanary }] },
          metadata: { user: promptCanary },
          stopSequences: [promptCanary],
        }),
      );
      await spansOf(idOf(answer));
      await lineOf(idOf(answer));
    }
    expect(JSON.stringify(faulty.requests())).toContain(keyCanary);
    const told = JSON.stringify([collector.exports().map(({ body }) => body), router.output()]);
    expect(told).not.toContain("CANARY");
    expect(told).not.toContain(key);
    expect(told).not.toContain("All is well");
  });
});

onOneHost(() => {
  describe("a setting that is malformed", () => {
    it.each([
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://user:CANARY@collector.test"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "authorization: CANARY"],
      ["OTEL_SERVICE_NAME", "CANARY\u0007"],
    ])("%s is named at start, and not printed", (name, value) => {
      const settings = parseSettings({ [name]: value });
      if (settings.ok) throw new Error("the setting is taken");
      expect(settings.error).toContain(`${name} must be`);
      expect(settings.error).not.toContain("CANARY");
    });
  });
});

onOneHost(() => {
  describe("without a collector", () => {
    it("hands on the caller's context and still writes its line", async () => {
      const bare = await borrowRouter();
      const { key } = await createTenant(bare, "bare", {
        provider: "openai",
        baseUrl: faulty.url("openai"),
        models: [{ id: "gpt-traced" }],
      });
      await callOnce(bare, key, asking("hello"));
      await callOnce(bare, key, asking("hello"), { headers: { traceparent, tracestate } });
      const [plain, traced] = faulty.requests();
      expect(plain?.headers).not.toHaveProperty("traceparent");
      expect(traced?.headers).toMatchObject({ traceparent, tracestate });
      await expect.poll(printedByRouter).toContain(`"traceId":"${traceId}"`);
      const printed = await printedByRouter();
      expect(printed).toContain('"traceId":null');
      expect(printed).not.toContain('"event":"telemetry"');
    });
  });
});
