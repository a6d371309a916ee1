/** Circuits open after repeated faults and let one probe through at a time. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Attempt } from "../../../src/domain/attempts.ts";
import {
  circuitChangesOf,
  stateOf,
  type Circuit,
  type CircuitFault,
} from "../../../src/domain/choice/circuits.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { call, credential, field, models } from "./models.fixture.ts";

const minute = 60_000;
const now = 1_000 * minute;
const { flash, small } = models;

/** A circuit with faults that took no time, oldest first, as a row keeps them. */
const circuit = (times: readonly (number | Partial<CircuitFault>)[]): Circuit => ({
  scope: "endpoint a",
  faults: times
    .map((its) => {
      const fault = typeof its === "number" ? { at: its } : its;
      const { at = now } = fault;
      return { began: fault.began ?? at, at, retryAfterMs: fault.retryAfterMs ?? null };
    })
    .toReversed(),
  probeUntil: null,
  updatedAt: now,
});

describe("a circuit", () => {
  it("opens with the second fault within five minutes, and not with faults further apart", () => {
    expect(stateOf(circuit([now]), now)).toEqual({ state: "closed" });
    expect(stateOf(circuit([now - 5 * minute, now]), now)).toMatchObject({ state: "open" });
    expect(stateOf(circuit([now - 5 * minute - 1, now]), now)).toEqual({ state: "closed" });
  });

  it("is open for fifteen seconds, then lets one call probe it", () => {
    const twice = circuit([now, now]);
    expect(stateOf(twice, now)).toEqual({
      state: "open",
      until: now + 15_000,
      retryAfterUntil: null,
    });
    expect(stateOf(twice, now + 14_999)).toMatchObject({ state: "open" });
    expect(stateOf(twice, now + 15_000)).toEqual({ state: "half-open" });
  });

  it("stays open while one call probes it, and twice as long if the probe fails, five minutes at most", () => {
    const probed = { ...circuit([now, now]), probeUntil: now + 20_000 };
    expect(stateOf(probed, now + 15_000)).toMatchObject({ state: "open", until: now + 20_000 });
    const times = [now, now];
    const waits: number[] = [];
    for (let count = 0; count < 8; count += 1) {
      const state = stateOf(circuit(times), times.at(-1) ?? now);
      if (state.state !== "open") break;
      waits.push(state.until - (times.at(-1) ?? now));
      times.push(state.until);
    }
    expect(waits.map((ms) => ms / 1_000)).toEqual([15, 30, 60, 120, 240, 300, 300, 300]);
  });

  it("is not kept open by a clock that is set back", () => {
    const hour = 60 * minute;
    const twice = { ...circuit([now, now]), probeUntil: now + 20_000 };
    expect(stateOf(twice, now - hour)).toEqual({ state: "closed" });
    const asked = circuit([{ at: now, retryAfterMs: 3 * minute }]);
    expect(stateOf(asked, now)).toMatchObject({
      state: "open",
      retryAfterUntil: expect.any(Number),
    });
    expect(stateOf(asked, now - hour)).toEqual({ state: "closed" });
    // Faults from then on open the circuit as ever, and those from before the jump don't count.
    const since = circuit([now, now, now - hour, now - hour]);
    expect(stateOf(since, now - hour)).toEqual({
      state: "open",
      until: now - hour + 15_000,
      retryAfterUntil: null,
    });
    expect(stateOf(circuit([now, now, now - hour]), now - hour)).toEqual({ state: "closed" });
    // Clocks may differ by a minute.
    expect(stateOf(circuit([now, now]), now - minute)).toMatchObject({ state: "open" });
  });

  it("is not held open longer by calls that began before it opened", () => {
    const many = Array.from({ length: 14 }, () => ({ began: now - 1, at: now + 5_000 }));
    expect(stateOf(circuit([now, now, ...many]), now)).toMatchObject({ until: now + 15_000 });
  });

  it("believes a provider that says when to come back, up to five minutes", () => {
    const asked = circuit([{ at: now, retryAfterMs: 7_000 }]);
    expect(stateOf(asked, now)).toEqual({
      state: "open",
      until: now + 7_000,
      retryAfterUntil: now + 7_000,
    });
    expect(stateOf(asked, now + 7_000)).toEqual({ state: "closed" });
    expect(stateOf(circuit([{ at: now, retryAfterMs: 86_400_000 }]), now)).toMatchObject({
      until: now + 5 * minute,
    });
  });

  it("is never open for longer than five minutes from its last fault", () => {
    const faults = fc.array(
      fc.record({
        at: fc.integer({ min: 0, max: 3_600_000 }),
        took: fc.integer({ min: 0, max: 90_000 }),
        retryAfterMs: fc.option(fc.integer({ min: 0, max: 1e9 }), { nil: null }),
      }),
      { minLength: 1, maxLength: 16 },
    );
    fc.assert(
      fc.property(faults, (all) => {
        const sorted = all
          .map(({ at, took, retryAfterMs }) => ({
            began: now + at - took,
            at: now + at,
            retryAfterMs,
          }))
          .toSorted((a, b) => a.at - b.at);
        const last = sorted.at(-1)?.at ?? now;
        const state = stateOf(circuit(sorted), last);
        return state.state !== "open" || state.until <= last + 5 * minute;
      }),
    );
  });
});

const attempt = (fields: Partial<Attempt> = {}) => ({
  provider: "a",
  model: "x",
  credentialId: "cred_1",
  status: 503,
  retryable: true,
  fault: "server" as const,
  billed: "no" as const,
  latencyMs: 5,
  retryAfterMs: null,
  reach: "endpoint" as const,
  endpoint: "a https://a.example",
  beganAt: now,
  ...fields,
});
const scopes = {
  endpoint: "endpoint a https://a.example",
  credential: "credential cred_1",
  model: "model cred_1 a/x",
};
const changes = (fields: Partial<Attempt>) => circuitChangesOf([attempt(fields)]);
const countedAt = (fields: Partial<Attempt>) => changes(fields)[0]?.fault?.scope ?? null;

describe("what an attempt says", () => {
  it.each([
    ["an outage counts at the endpoint", {}, scopes.endpoint],
    ["a time-out too", { fault: "timeout", status: null }, scopes.endpoint],
    [
      "no credit counts at the credential",
      { fault: "rate_limit", status: 402, reach: "credential" },
      scopes.credential,
    ],
    [
      "a rate limit at the model",
      { fault: "rate_limit", status: 429, reach: "model" },
      scopes.model,
    ],
    [
      "an unknown model too",
      { fault: "invalid_request", status: 404, reach: "model" },
      scopes.model,
    ],
    ["an empty answer too: it may be the prompt's", { fault: "empty", status: 200 }, scopes.model],
    [
      "a redirect at the endpoint: no prompt is answered so",
      { fault: "empty", status: 302, reach: "endpoint" },
      scopes.endpoint,
    ],
    ["no content too", { fault: "empty", status: 204, reach: "endpoint" }, scopes.endpoint],
    [
      "a refused key nowhere: it is marked",
      { fault: "auth", status: 401, reach: "credential" },
      null,
    ],
    [
      "a request that is wrong nowhere",
      { fault: "invalid_request", status: 400, retryable: false, reach: "model" },
      null,
    ],
    ["what was not sent nowhere", { fault: "invalid_request", status: null, reach: "model" }, null],
    ["a cancelled call nowhere", { fault: "cancelled", status: null }, null],
    ["an answer that is no JSON nowhere", { fault: "not_json", status: 200, reach: "model" }, null],
  ] as const)("%s", (_, fields, scope) => {
    expect(countedAt(fields)).toBe(scope);
  });

  it("an answer closes all three circuits, and an error closes those around its own reach", () => {
    expect(changes({ fault: null, status: 200 })).toEqual([
      { closes: [scopes.model, scopes.credential, scopes.endpoint], fault: null },
    ]);
    expect(changes({ fault: "rate_limit", status: 429, reach: "model" })[0]?.closes).toEqual([
      scopes.credential,
      scopes.endpoint,
    ]);
    expect(changes({ fault: "rate_limit", status: 402, reach: "credential" })[0]?.closes).toEqual([
      scopes.endpoint,
    ]);
    expect(changes({})[0]?.closes).toEqual([]);
    expect(changes({ fault: "timeout", status: null })[0]?.closes).toEqual([]);
  });
});

describe("a choice with open circuits", () => {
  const failedAt = (scope: string, count = 2, retryAfterMs: number | null = null): Circuit => ({
    ...circuit(Array.from({ length: count }, () => ({ at: now, retryAfterMs }))),
    scope,
  });
  const google = "endpoint google https://generativelanguage.googleapis.com";
  const chosen = (within: ReturnType<typeof field>) => {
    const plan = choose(call({ priorities: { speed: 1 } }), within);
    return plan.ok ? `${plan.value.decision.provider}/${plan.value.decision.model}` : plan.error;
  };

  it("leaves every model of an endpoint whose circuit is open", () => {
    const within = field({ now, circuits: [failedAt(google)] });
    expect(chosen(within)).toBe("openai/gpt-small");
    const plan = choose(call(), within);
    const open = plan.ok ? plan.value.decision.candidates : [];
    expect(open.filter(({ excludedBy }) => excludedBy === "circuit_open")).toMatchObject([
      { provider: "google" },
      { provider: "google" },
    ]);
  });

  it("leaves a credential whose circuit is open for another one of the provider", () => {
    const credentials = [credential("google"), credential("google", { id: "second" })];
    const within = field({ now, credentials, circuits: [failedAt("credential cred_google")] });
    const plan = choose(call({ priorities: { speed: 1 } }), within);
    expect(plan.ok && plan.value.choices[0]?.credentialIds).toEqual(["second"]);
  });

  it("uses a model behind an open circuit where nothing else is feasible", () => {
    const all = ["openai", "anthropic"].map((its) => failedAt(`credential cred_${its}`));
    expect(chosen(field({ now, circuits: [failedAt(google), ...all] }))).toBe(
      "google/gemini-flash",
    );
    const audio = call({
      messages: [
        { role: "user", content: [{ type: "audio", data: "aGk=", mimeType: "audio/wav" }] },
      ],
    });
    const plan = choose(audio, field({ now, circuits: [failedAt(google)] }));
    expect(plan.ok && plan.value.decision.model).toBe("gemini-flash");
  });

  it("is unavailable, and says which model rests and for how long, where a provider asked to be left alone and nothing else is feasible", () => {
    const within = field({
      now,
      models: [flash],
      circuits: [failedAt("model cred_google google/gemini-flash", 1, 7_000)],
    });
    expect(chosen(within)).toEqual({
      reason: "unavailable",
      retryAfterMs: 7_000,
      cause: "resting",
      models: ["google/gemini-flash"],
    });
  });

  it("says when the provider's own wait ends, however long faults keep circuits open", () => {
    const pool = field({
      now,
      models: [flash],
      circuits: [failedAt("model cred_google google/gemini-flash", 2, 1_000), failedAt(google)],
    });
    expect(chosen(pool)).toMatchObject({ reason: "unavailable", retryAfterMs: 1_000 });
    // The choice is prepared again at that moment, and the model is used then.
    expect(pool.circuits?.until).toBe(now + 1_000);
    const later = field({
      now: now + 1_000,
      models: [flash],
      circuits: [failedAt("model cred_google google/gemini-flash", 2, 1_000)],
    });
    expect(chosen(later)).toBe("google/gemini-flash");
  });

  it("names another reason of exclusion where the model has one besides the open circuit", () => {
    const within = field({
      now,
      models: [
        { ...flash, tools: false },
        { ...small, status: "retired" },
      ],
      circuits: [failedAt("model cred_google google/gemini-flash", 1, 7_000)],
    });
    const tools = [{ name: "t", inputSchema: { type: "object" } }] as never[];
    const plan = choose(call({ tools }), within);
    expect(!plan.ok && plan.error).toMatchObject({
      reason: "no_eligible_model",
      candidates: [{ excludedBy: "tools" }, { excludedBy: "retired" }],
    });
  });

  it("gives the admission the circuits that one call may try, as the choice saw them", () => {
    const twice = failedAt(google);
    const plan = choose(call(), field({ now: now + 15_000, circuits: [twice] }));
    expect(plan.ok && [...plan.value.halfOpen]).toEqual([[google, twice.updatedAt]]);
  });
});
