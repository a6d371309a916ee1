/** Who holds a session's GET stream, as one isolate finds out. */
import { describe, expect, it } from "vitest";
import type { SessionStore } from "../../../src/domain/ports.ts";
import { ok } from "../../../src/domain/result.ts";
import type { Session } from "../../../src/domain/session.ts";
import { createStreamMemory, createStreams } from "../../../src/pipeline/streams.ts";

const start = 1_000_000;

function given(createdAt = start) {
  const session: Session = {
    id: "ses_1",
    tenantId: "ten_1",
    keyId: "key_1",
    revision: "2025-11-25",
    capabilities: {},
    clientInfo: {},
    serverId: "srv_1",
    upstreamId: "s",
    told: {},
    bridge: null,
    clientStreamUntil: null,
    routerStreamUntil: null,
    createdAt,
    lastUsedAt: createdAt,
    expiresAt: createdAt + 1e9,
  };
  let clock = start;
  let reads = 0;
  const later: { at: number; run: () => void }[] = [];
  const sessions = {
    get: async () => {
      reads += 1;
      return ok(session);
    },
    holdStream: async (_tenant: string, _id: string, held: Partial<Session>) => {
      Object.assign(session, held);
      return ok(null);
    },
  } as unknown as SessionStore;
  const isolate = () =>
    createStreams({
      sessions,
      memory: createStreamMemory(10),
      now: () => clock,
      wait: async (ms) => {
        clock += ms;
        for (const each of later.filter(({ at }) => at <= clock)) each.run();
      },
    });
  return {
    session,
    isolate,
    later,
    elapsed: () => clock - start,
    pass: (ms: number) => void (clock += ms),
    reads: () => reads,
  };
}

describe("a session's GET stream", () => {
  it("is missing once a new client had time to ask for it, and at once in an older session", async () => {
    const young = given();
    expect(await young.isolate().isMissing(young.session)).toBe(true);
    expect(young.elapsed()).toBeGreaterThanOrEqual(300);
    const old = given(start - 10_000);
    expect(await old.isolate().isMissing(old.session)).toBe(true);
    expect(old.elapsed()).toBe(0);
  });

  it("is waited for while it is only asked for, and not longer than a second", async () => {
    const { session, isolate, later, elapsed } = given();
    const [one, other] = [isolate(), isolate()];
    await one.clientWants(session);
    later.push({ at: start + 500, run: () => void one.clientHolds(session) });
    expect(await other.isMissing(session)).toBe(false);
    expect(elapsed()).toBeGreaterThanOrEqual(500);
    expect(elapsed()).toBeLessThan(1_000);
    const stuck = given();
    await stuck.isolate().clientWants(stuck.session);
    expect(await stuck.isolate().isMissing(stuck.session)).toBe(false);
    expect(stuck.elapsed()).toBeGreaterThanOrEqual(1_000);
  });

  it("is remembered while it is held, and missing when it was let go or its holder died", async () => {
    const { session, isolate, pass, reads } = given(start - 10_000);
    const [one, other] = [isolate(), isolate()];
    await one.clientHolds(session);
    expect(await one.isMissing(session)).toBe(false);
    expect(reads()).toBe(0);
    expect(await other.isMissing(session)).toBe(false);
    expect(await other.isMissing(session)).toBe(false);
    expect(reads()).toBe(1);
    await one.clientReleases(session);
    expect(await one.isMissing(session)).toBe(true);
    await one.clientHolds(session);
    pass(61_000);
    expect(await isolate().isMissing(session)).toBe(true);
  });

  it("is never missing where the server offers none", async () => {
    const { session, isolate } = given(start - 10_000);
    const one = isolate();
    one.isNotOffered(session);
    expect(await one.isMissing(session)).toBe(false);
  });
});
