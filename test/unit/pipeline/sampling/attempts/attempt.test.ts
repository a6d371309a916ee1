/** The walk of one call over providers that fail as the test says. */
import { describe, expect, it } from "vitest";
import type { ProviderFault } from "../../../../../src/domain/attempts.ts";
import { nameOf } from "../../../../../src/domain/models/model.ts";
import type { ReasoningRequest } from "../../../../../src/domain/models/reasoning.ts";
import type { SealedCredential } from "../../../../../src/domain/ports/stores.ts";
import type {
  ProviderAnswer,
  ProviderRequest,
} from "../../../../../src/domain/sampling/providers.ts";
import { err, ok, type Result } from "../../../../../src/domain/result.ts";
import { createElapsed } from "../../../../../src/domain/clocks.ts";
import { createAttempt } from "../../../../../src/pipeline/sampling/attempts/attempt.ts";
import { call, model } from "../../../domain/models.fixture.ts";
import { plainKeys } from "../../../../fakes/plain-keys.ts";

const answer: ProviderAnswer = {
  content: [{ type: "text", text: "hello" }],
  stopReason: "endTurn",
  providerStopReason: null,
  usage: { inputTokens: 1, outputTokens: 1, estimated: false },
  notes: [],
};
const broken = (fields: Partial<ProviderFault> = {}): Result<ProviderAnswer, ProviderFault> =>
  err({
    kind: "server",
    status: 503,
    retryable: true,
    retryAfterMs: null,
    billed: "no",
    reach: "endpoint",
    usage: null,
    ...fields,
  });
const limited = (retryAfterMs: number | null = null) =>
  broken({ kind: "rate_limit", status: 429, reach: "model", code: "rate_limited", retryAfterMs });

const openKey = async ({ sealed }: SealedCredential) =>
  sealed === "another's" ? err("unopenable" as const) : ok(sealed);
const credential = (provider: string): SealedCredential => ({
  id: `cred_${provider}`,
  tenantId: "ten_1",
  provider,
  name: provider,
  baseUrl: null,
  models: null,
  status: "active",
  sealed: "key",
  createdAt: 0,
  updatedAt: 7,
});
const step = (name: string) => {
  const its = model(name);
  const reasoning: ReasoningRequest = { sent: null, metadata: "absent", headroom: 0 };
  const costing = { reasoning, maxTokens: 10, tokens: 10, microUsd: 100 };
  return { model: its, credentialId: `cred_${its.provider}`, endpoint: its.provider, ...costing };
};
const reserved = ["a/x", "a/y", "a/z", "b/v"].map(step);

/** Which models were asked, in order, and how the call ended. */
async function walk(
  results: Record<string, Result<ProviderAnswer, ProviderFault>[]>,
  fields: {
    steps?: (ReturnType<typeof step> & { isReservedTwice?: true })[];
    /** micro-USD */
    held?: number;
    blocked?: string[];
    maxAttempts?: number;
    unopenable?: string[];
    /** ms that the clock is set back while the first model is asked */
    setBackMs?: number;
    patienceMs?: number | null;
    afterContentFilter?: "other_providers";
  } = {},
) {
  const asked: string[] = [];
  const waits: number[] = [];
  const limits: number[] = [];
  let time = 0;
  let behind = 0;
  const attempt = createAttempt({
    providers: {
      complete: async ({ model: its }: ProviderRequest) => {
        asked.push(nameOf(its));
        time += 10;
        behind = fields.setBackMs ?? 0;
        return results[nameOf(its)]?.shift() ?? ok(answer);
      },
      stream: () => Promise.reject(new Error("no call here is streamed")),
      problemWith: () => null,
      listModels: () => Promise.resolve(null),
      countTokens: () => Promise.resolve(null),
      addressOf: () => null,
    },
    providerKeys: plainKeys(openKey),
    now: () => time - behind,
    elapsed: createElapsed(() => time - behind),
    wait: async (ms) => {
      waits.push(ms);
      time += ms;
    },
    after: (ms) => {
      limits.push(ms);
      return () => {};
    },
    chance: () => 0.5,
  });
  const attempted = await attempt({
    steps: fields.steps ?? reserved,
    maxAttempts: fields.maxAttempts ?? 4,
    held: { tokens: 10, microUsd: fields.held ?? 1_000 },
    blocked: fields.blocked ?? [],
    outside: (wait) => wait(async () => {}),
    call: call(),
    credentials: ["a", "b"].map((provider) => ({
      ...credential(provider),
      ...(fields.unopenable?.includes(provider) === true && { sealed: "another's" }),
    })),
    deadlineMs: 45_000,
    signal: new AbortController().signal,
    begins: () => ({}),
    patienceAt: () => fields.patienceMs ?? null,
    promptCaching: "auto",
    afterContentFilter: fields.afterContentFilter ?? "stop",
  });
  return { asked, waits, limits, attempted };
}

describe("a call", () => {
  it("leaves a broken endpoint with its second attempt", async () => {
    const { asked, waits, attempted } = await walk({ "a/x": [broken()] });
    expect(asked).toEqual(["a/x", "b/v"]);
    expect(waits).toEqual([]);
    expect(attempted.attempts).toMatchObject([
      { model: "x", fault: "server", reach: "endpoint" },
      { model: "v", fault: null },
    ]);
    expect(attempted.attempts[1]).not.toHaveProperty("reach");
  });

  it("asks nobody with a key that can't be opened, and tries each credential once", async () => {
    const elsewhere = await walk({}, { unopenable: ["a"] });
    expect([elsewhere.asked, elsewhere.attempted.answer.ok]).toEqual([["b/v"], true]);
    const { asked, attempted } = await walk({}, { unopenable: ["a", "b"] });
    expect(asked).toEqual([]);
    expect(attempted.attempts).toMatchObject([
      { credentialId: "cred_a", fault: "unopenable", billed: "no" },
      { credentialId: "cred_b", fault: "unopenable", billed: "no" },
    ]);
    expect(attempted.circuits).toEqual([]);
    expect(attempted.answer).toMatchObject({ error: { reason: "provider_failed" } });
  });

  it.each([
    { kind: "auth", status: 401, code: "invalid_key" },
    { kind: "rate_limit", status: 429, code: "no_credit", retryAfterMs: 1_000 },
    { kind: "rate_limit", status: 400, code: "spend_limit" },
  ] as const)("asks once with a key that its provider refuses: $code", async (fields) => {
    const refused = broken({ ...fields, reach: "credential" });
    const everywhere = () =>
      Object.fromEntries(reserved.map(({ model: its }) => [nameOf(its), [refused]]));
    const alone = await walk(everywhere(), { steps: reserved.slice(0, 3) });
    expect([alone.asked, alone.waits]).toEqual([["a/x"], []]);
    const { asked, attempted } = await walk(everywhere());
    expect(asked).toEqual(["a/x", "b/v"]);
    expect(attempted.answer).toMatchObject({ error: { reason: "provider_failed" } });
  });

  it("still asks other models of a key after a 403 without a code", async () => {
    const denied = broken({ kind: "auth", status: 403, reach: "credential" });
    const { asked } = await walk({ "a/x": [denied] }, { steps: reserved.slice(0, 2) });
    expect(asked).toEqual(["a/x", "a/y"]);
  });

  it("says when to try again: the least wait that a provider asked for", async () => {
    const waits = { "a/x": [limited(9_000_000)], "a/y": [limited(7_000_000)], "b/v": [limited()] };
    expect((await walk({ ...waits, "a/z": [broken()] })).attempted.answer).toMatchObject({
      error: { reason: "provider_failed", retryAfterMs: 7_000_000 },
    });
    // Waiting does not mend a refused key.
    const refused = { kind: "auth", status: 401, reach: "credential", retryAfterMs: 5 } as const;
    const { attempted } = await walk({ "a/x": [broken(refused)], "b/v": [broken(refused)] });
    expect(attempted.answer.ok || attempted.answer.error).not.toHaveProperty("retryAfterMs");
  });

  it("records the pause before each attempt, and none where it didn't wait", async () => {
    const { waits, attempted } = await walk({ "a/x": [limited()], "a/y": [limited()] });
    const [wait] = waits;
    expect(wait).toBeGreaterThan(0);
    expect(attempted.attempts.map(({ model: asked, waitedMs }) => [asked, waitedMs])).toEqual([
      ["x", undefined],
      ["y", wait],
      ["v", undefined],
    ]);
  });

  it("names once a credential whose key was refused, as the call read it", async () => {
    const refused = broken({ kind: "auth", status: 401, reach: "model" });
    const { attempted } = await walk({ "a/x": [refused], "a/y": [refused] });
    expect(attempted.refusedKeys).toEqual([{ credentialId: "cred_a", readAt: 7 }]);
    expect(attempted.attempts[0]).not.toHaveProperty("readAt");
    const limits = await walk({ "a/x": [limited()] });
    expect(limits.attempted.refusedKeys).toEqual([]);
  });

  const rejected = (fields: Partial<ProviderFault> = {}) =>
    broken({ kind: "invalid_request", status: 400, reach: "request", ...fields });

  it("asks another wire after a refused request, opens no circuit, and ends with the second", async () => {
    const { asked, waits, attempted } = await walk({ "a/x": [rejected()] });
    expect([asked, waits]).toEqual([["a/x", "b/v"], []]);
    expect(attempted.attempts).toMatchObject([{ reach: "request", status: 400 }, { fault: null }]);
    expect(attempted.circuits.map(({ fault }) => fault)).toEqual([null, null]);
    const steps = ["a/x", "a/y", "b/v", "c/w"].map(step);
    const both = await walk({ "a/x": [rejected()], "b/v": [rejected()] }, { steps });
    expect(both.asked).toEqual(["a/x", "b/v"]);
    expect(both.attempted.answer).toMatchObject({
      error: { reason: "provider_failed", attempts: [{ retryable: false }, { retryable: false }] },
    });
  });

  it("asks Groq's model twice for a tool use, where the reservation has room, then elsewhere", async () => {
    const slip = () =>
      broken({
        kind: "wrong_tool_use",
        status: 400,
        reach: "model",
        billed: "maybe",
        code: "tool_use_failed",
      });
    const steps = [{ ...step("a/x"), isReservedTwice: true as const }, step("b/v")];
    const once = await walk({ "a/x": [slip()] }, { steps });
    expect(once.asked).toEqual(["a/x", "a/x"]);
    const twice = await walk({ "a/x": [slip(), slip()] }, { steps });
    expect(twice.asked).toEqual(["a/x", "a/x", "b/v"]);
    const narrow = await walk({ "a/x": [slip()] }, { steps, held: 199 });
    expect(narrow.asked).toEqual(["a/x"]);
    const alone = await walk({ "a/x": [slip(), slip()] }, { steps: steps.slice(0, 1) });
    expect(alone.attempted.answer).toMatchObject({
      error: { attempts: [{ retryable: true }, {}] },
    });
  });

  it("asks other providers after a content filter only if the policy says so", async () => {
    const filtered = () => rejected({ code: "content_filter", billed: "maybe" });
    expect((await walk({ "a/x": [filtered()] })).asked).toEqual(["a/x"]);
    const on = await walk({ "a/x": [filtered()] }, { afterContentFilter: "other_providers" });
    expect(on.asked).toEqual(["a/x", "b/v"]);
  });

  it("makes further attempts within what it has reserved: what cost nothing leads on", async () => {
    const refused = broken({ kind: "auth", status: 401, reach: "credential", code: "invalid_key" });
    const lost = broken({ billed: "maybe" });
    const dear = reserved.map((its, at) => (at === 3 ? { ...its, microUsd: 101 } : its));
    const asked = async (
      first: Result<ProviderAnswer, ProviderFault>,
      fields: { held: number; steps?: typeof reserved },
    ) => (await walk({ "a/x": [first] }, fields)).asked;
    // Reserved for one attempt.
    for (const free of [refused, broken(), limited()])
      expect((await asked(free, { held: 100 })).length).toBe(2);
    expect(await asked(lost, { held: 100 })).toEqual(["a/x"]);
    expect(await asked(lost, { held: 199 })).toEqual(["a/x"]);
    expect(await asked(lost, { held: 200 })).toEqual(["a/x", "b/v"]);
    // The best candidate that fits, also where a better one does not.
    expect(await asked(broken(), { held: 100, steps: dear })).toEqual(["a/x", "a/y"]);
    expect(await asked(lost, { held: 200, steps: dear })).toEqual(["a/x", "a/y"]);
    // The first attempt is made whatever its price is by now.
    expect(await asked(ok(answer), { held: 1 })).toEqual(["a/x"]);
  });

  it("took no less than no time when the clock is set back meanwhile", async () => {
    const { attempted } = await walk({ "a/x": [broken()] }, { setBackMs: 3_600_000 });
    expect(attempted.attempts.map(({ latencyMs }) => latencyMs)).toEqual([0, 10]);
    expect(attempted.providerMs).toBe(10);
    const [change] = attempted.circuits;
    expect(change?.fault?.at).toBe(change?.fault?.began);
  });

  it("gives its first attempt the time that was measured, where another endpoint can follow", async () => {
    const failing = () => ({ "a/x": [broken()] });
    expect((await walk(failing())).limits).toEqual([30_000, 29_993]);
    expect((await walk(failing(), { patienceMs: 9_000 })).limits).toEqual([9_000, 29_993]);
    expect((await walk(failing(), { patienceMs: 40_000 })).limits[0]).toBe(30_000);
    const alone = reserved.slice(0, 3);
    expect((await walk({}, { patienceMs: 9_000, steps: alone })).limits).toEqual([30_000]);
    const thinking = reserved.map((its) => ({
      ...its,
      reasoning: { ...its.reasoning, headroom: 1_000 },
    }));
    expect((await walk({}, { patienceMs: 9_000, steps: thinking })).limits).toEqual([30_000]);
  });

  it("leaves an endpoint with its third attempt, whatever the two before say", async () => {
    const { asked, attempted } = await walk({ "a/x": [limited()], "a/y": [limited()] });
    expect(asked).toEqual(["a/x", "a/y", "b/v"]);
    expect(attempted.attempts[0]).toMatchObject({ reach: "model", code: "rate_limited" });
  });

  it("stays where nothing is reserved elsewhere, and ends after as many attempts as allowed", async () => {
    const alone = reserved.slice(0, 3);
    const all = Object.fromEntries(alone.map((its) => [nameOf(its.model), [broken()]]));
    const { asked, attempted } = await walk(all, { steps: alone });
    expect(asked).toEqual(["a/x", "a/y", "a/z"]);
    expect(attempted.answer).toMatchObject({ ok: false, error: { reason: "provider_failed" } });
    expect((await walk({ "a/x": [broken()] }, { maxAttempts: 1 })).asked).toEqual(["a/x"]);
  });

  it("asks the last one again when it says when", async () => {
    const { asked, waits } = await walk({ "b/v": [limited(2_000)] }, { steps: [step("b/v")] });
    expect(asked).toEqual(["b/v", "b/v"]);
    expect(waits).toEqual([2_000]);
  });

  it("goes around a circuit that another call tries, and tries that circuit where nothing else is left", async () => {
    expect((await walk({}, { blocked: ["endpoint a"] })).asked).toEqual(["b/v"]);
    expect((await walk({ "b/v": [broken()] }, { blocked: ["endpoint a"] })).asked).toEqual([
      "b/v",
      "a/x",
    ]);
    expect((await walk({}, { blocked: ["model cred_a a/x"] })).asked).toEqual(["a/y"]);
  });

  it("says what its attempts mean for the circuits", async () => {
    const { attempted } = await walk({ "a/x": [broken()] });
    expect(attempted.circuits).toEqual([
      { closes: [], fault: { scope: "endpoint a", began: 0, at: 10, retryAfterMs: null } },
      { closes: ["model cred_b b/v", "credential cred_b", "endpoint b"], fault: null },
    ]);
  });
});
