/** One answer per intercepted request, whoever asks, and whoever died. */
import { describe, expect, it } from "vitest";
import type { Claim, InterceptedStore } from "../../../src/domain/intercepted.ts";
import { err, ok } from "../../../src/domain/result.ts";
import { createIntercept } from "../../../src/pipeline/intercept.ts";

const call = { tenantId: "ten_1", scope: "ses_1", messageId: "1", digest: "aa" };

function given(claims: Claim[]) {
  let clock = 1_000;
  const done: string[] = [];
  const leases: number[] = [];
  const intercepted: InterceptedStore = {
    claim: async (_call, { leaseUntil }) => {
      leases.push(leaseUntil);
      const next = claims.length > 1 ? claims.shift() : claims[0];
      return next === undefined ? err({ reason: "unavailable", retryAfterMs: 1 }) : ok(next);
    },
    answer: async (_call, sealed) => {
      done.push(sealed);
      return ok(null);
    },
    deliver: async () => ok(null),
    isTaken: async () => ok(false),
    prune: async () => ok(0),
  };
  const { once } = createIntercept({
    intercepted,
    now: () => clock,
    wait: async (ms) => void (clock += ms),
    vault: {
      sealPrefix: "",
      seal: async (plain) => `sealed ${plain}`,
      open: async (sealed) =>
        sealed.startsWith("sealed ") ? ok(sealed.slice(7)) : err("unopenable"),
    },
  });
  let runs = 0;
  const run = async (): Promise<string> => `run ${(runs += 1)}`;
  return { ask: () => once(call, { deadlineMs: 5_000, run }), done, leases, ran: () => runs };
}

describe("an intercepted request", () => {
  it("is run by the one that got it, and kept sealed; its lease outlives its deadline", async () => {
    const { ask, done, leases } = given([{ state: "mine" }]);
    expect(await ask()).toEqual(ok({ text: "run 1", by: "run" }));
    expect(done).toEqual(["sealed run 1"]);
    expect(leases[0]).toBeGreaterThan(1_000 + 5_000);
  });

  it("is answered from the record, and by whoever is at it", async () => {
    const answered = { state: "answered", sealed: "sealed before" } as const;
    const recorded = given([answered]);
    expect(await recorded.ask()).toEqual(ok({ text: "before", by: "recorded" }));
    const running = { state: "running", leaseUntil: 10_000 } as const;
    const waiting = given([running, running, answered]);
    expect(await waiting.ask()).toEqual(ok({ text: "before", by: "elsewhere" }));
    expect([recorded.ran(), waiting.ran()]).toEqual([0, 0]);
  });

  it("whose isolate died is not run again", async () => {
    const dead = given([{ state: "running", leaseUntil: 3_000 }]);
    expect(await dead.ask()).toEqual(err({ reason: "internal" }));
    expect(dead.ran()).toBe(0);
  });

  it("is not run where it can't be recorded, nor where the record can't be opened", async () => {
    const down = given([]);
    expect(await down.ask()).toMatchObject({ ok: false, error: { reason: "unavailable" } });
    const lost = given([{ state: "answered", sealed: "another key's" }]);
    expect(await lost.ask()).toEqual(err({ reason: "internal" }));
    expect([down.ran(), lost.ran()]).toEqual([0, 0]);
  });
});
