/** Waiting for a call that somebody else makes. */
import { describe, expect, it } from "vitest";
import type { FirstCallState } from "../../../../../src/domain/ports/ledger.ts";
import type { Refusal } from "../../../../../src/domain/refusals.ts";
import { err, ok } from "../../../../../src/domain/result.ts";
import { createIdempotency } from "../../../../../src/pipeline/sampling/request/idempotency.ts";

const call = { tenantId: "ten_1", keyId: "key_1", serverId: null, key: "k" };
const unavailable: Refusal = { reason: "unavailable", retryAfterMs: 1 };
const first = {
  requestId: "req_1",
  contentSha256: "c",
  outcome: "admitted",
  leaseUntil: 10_000,
  result: null,
} as const satisfies FirstCallState;
const answered = { ...first, outcome: "succeeded", result: 'sealed {"ok":true}' } as const;

function given(states: (FirstCallState | null | Refusal)[], leaving = new AbortController()) {
  let clock = 1_000;
  let replays = 0;
  let setBackMs = 0;
  const idempotency = createIdempotency({
    idempotency: {
      async find() {
        const next = states.length > 1 ? states.shift() : states[0];
        return next !== null && next !== undefined && "reason" in next
          ? err(next)
          : ok(next ?? null);
      },
      countReplay: async () => ok(((replays += 1), null)),
      isPrefixTaken: async () => ok(false),
      addKey: async () => ok(null),
      moveKey: async () => ok(null),
      recordDelivery: async () => ok(null),
      prune: async () => ok(0),
    },
    now: () => clock,
    wait: async (ms) => void (clock += ms - setBackMs),
    vault: {
      sealPrefix: "",
      seal: async (plain) => `sealed ${plain}`,
      open: async (sealed) =>
        sealed.startsWith("sealed ") ? ok(sealed.slice(7)) : err("unopenable"),
    },
  });
  return {
    join: () => idempotency.join(call, leaving.signal),
    replays: () => replays,
    clock: () => clock,
    setBack: (ms: number) => void (setBackMs = ms),
    leaving,
  };
}

describe("a call that another caller already makes", () => {
  it("is answered from the record, once the other caller has its answer", async () => {
    const recorded = given([answered]);
    expect(await recorded.join()).toEqual({
      state: "done",
      recorded: { ok: true },
      answeredBy: "earlier-call",
    });
    const waiting = given([first, first, answered]);
    expect(await waiting.join()).toEqual({
      state: "done",
      recorded: { ok: true },
      answeredBy: "concurrent-call",
    });
    expect([recorded.replays(), waiting.replays()]).toEqual([1, 1]);
  });

  it("is free once nothing holds its key", async () => {
    expect(await given([first, null]).join()).toEqual({ state: "free" });
  });

  it("is lost when its lease has ended, and callers that wait for it get an error", async () => {
    const lost = err({ reason: "provider_failed", attempts: [] });
    const dying = given([first]);
    expect(await dying.join()).toEqual({
      state: "done",
      recorded: lost,
      answeredBy: "earlier-call",
    });
    expect(dying.clock()).toBeGreaterThanOrEqual(first.leaseUntil);
    for (const state of [
      { ...first, outcome: "unknown" as const },
      { ...answered, result: "another key's" },
    ])
      expect(await given([state]).join()).toMatchObject({
        recorded: lost,
        answeredBy: "earlier-call",
      });
  });

  it("is waited for no longer than a lease lasts, if the clock is set back again and again", async () => {
    const dying = given([first]);
    dying.setBack(5_000);
    expect(await dying.join()).toMatchObject({
      recorded: { ok: false },
      answeredBy: "earlier-call",
    });
    expect(dying.clock()).toBeLessThan(0);
  });

  it("goes on when a waiting caller leaves, or can't read the database", async () => {
    const leaving = new AbortController();
    leaving.abort();
    const left = given([first], leaving);
    expect(await left.join()).toMatchObject({ recorded: err({ reason: "cancelled" }) });
    const recorded = err(unavailable);
    expect(await given([unavailable]).join()).toMatchObject({
      recorded,
      answeredBy: "earlier-call",
    });
    expect(await given([first, unavailable]).join()).toMatchObject({
      recorded,
      answeredBy: "concurrent-call",
    });
  });
});
