/** Who holds a session's GET stream, as one isolate finds out. */
import { describe, expect, it } from "vitest";
import type { SessionStore } from "../../../src/domain/ports/stores.ts";
import { ok } from "../../../src/domain/result.ts";
import type { Session } from "../../../src/domain/tenancy/session.ts";
import { createStreamMemory, createStreams } from "../../../src/proxy/legacy/streams.ts";

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
    advertisedCapabilities: {},
    bridge: null,
    clientStreamUntil: null,
    routerStreamUntil: null,
    parkedUntil: null,
    createdAt,
    lastUsedAt: createdAt,
    expiresAt: createdAt + 1e9,
  };
  let clock = start;
  let reads = 0;
  let setBackMs = 0;
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
      now: () => clock - setBackMs,
      elapsed: () => clock,
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
    setBack: (ms: number) => void (setBackMs = ms),
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

  it("makes requests wait while it is only asked for, and not longer than a second", async () => {
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

  it("is waited for by a new session's request that comes to another isolate, a second at most", async () => {
    const left = new AbortController().signal;
    const { session, isolate, later, elapsed } = given();
    const [one, other] = [isolate(), isolate()];
    await one.clientWants(session);
    later.push({ at: start + 500, run: () => void one.clientHolds(session) });
    await other.untilOpenedElsewhere(session, left);
    expect(elapsed()).toBeGreaterThanOrEqual(500);
    expect(elapsed()).toBeLessThan(1_000);
    const stuck = given();
    await stuck.isolate().clientWants(stuck.session);
    await stuck.isolate().untilOpenedElsewhere(stuck.session, left);
    expect(stuck.elapsed()).toBeGreaterThanOrEqual(1_000);
    for (const quick of [given(), given(start - 10_000)]) {
      if (quick.session.createdAt < start) await quick.isolate().clientWants(quick.session);
      await quick.isolate().untilOpenedElsewhere(quick.session, left);
      expect(quick.elapsed()).toBe(0);
    }
  });

  it("holds back its own sender's requests while it is on its way, and no other sender's", async () => {
    const left = new AbortController().signal;
    const { isolate, elapsed, later } = given();
    const streams = isolate();
    const opened = streams.isOpening("a");
    await streams.untilOpened("b", left);
    expect(elapsed()).toBe(0);
    later.push({ at: start + 200, run: opened });
    await streams.untilOpened("a", left);
    expect(elapsed()).toBeGreaterThanOrEqual(200);
    expect(elapsed()).toBeLessThan(300);
    const before = elapsed();
    const [first, second] = [streams.isOpening("a"), streams.isOpening("a")];
    second();
    first();
    streams.isOpening("a");
    await streams.untilOpened("a", left);
    expect(elapsed() - before).toBeGreaterThanOrEqual(1_000);
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

  it("held by the time of a clock that was set back is held no longer than a lease", async () => {
    const { session, isolate, setBack, pass } = given(start - 10_000);
    const one = isolate();
    await one.clientHolds(session);
    setBack(600_000);
    expect(await isolate().isMissing(session)).toBe(true);
    expect(await one.isMissing(session)).toBe(false);
    pass(61_000);
    expect(await one.isMissing(session)).toBe(true);
  });

  it("is asked for by one request of an isolate, and kept while any of them runs", async () => {
    const { session, isolate, pass } = given(start - 10_000);
    const one = isolate();
    const [first, second] = [one.needs(session), one.needs(session)];
    expect(one.routerStreamHere(session)).toBeNull();
    const turn = one.acquire(session);
    expect(one.routerStreamHere(session)).toBe("opening");
    expect(one.acquire(session)).toBeNull();
    turn?.opened();
    expect(one.routerStreamHere(session)).toBe("open");
    // Another isolate does not know of the stream.
    expect(isolate().routerStreamHere(session)).toBeNull();
    first();
    expect(one.isNeeded(session)).toBe(true);
    second();
    expect(one.isNeeded(session)).toBe(false);
    // A request that has the turn and says nothing for a second counts as gone.
    pass(900);
    turn?.renew();
    pass(900);
    expect(one.acquire(session)).toBeNull();
    pass(200);
    const next = one.acquire(session);
    expect(next).not.toBeNull();
    // A late release lets go of its own turn only.
    turn?.release();
    expect(one.routerStreamHere(session)).toBe("opening");
    next?.release();
    expect(one.routerStreamHere(session)).toBeNull();
  });

  it("is known to be the client's at once where the client asked here", async () => {
    const { session, isolate, pass, reads } = given(start - 10_000);
    const [one, other] = [isolate(), isolate()];
    expect(one.clientHasHere(session)).toBe(false);
    await one.clientWants(session);
    expect([one.clientHasHere(session), other.clientHasHere(session)]).toEqual([true, false]);
    pass(5_001);
    expect(one.clientHasHere(session)).toBe(false);
    await one.clientHolds(session);
    expect(one.clientHasHere(session)).toBe(true);
    await one.clientReleases(session);
    expect(one.clientHasHere(session)).toBe(false);
    expect(reads()).toBe(0);
  });

  it("is not missing for a minute where the server offers none", async () => {
    const { session, isolate, pass } = given(start - 10_000);
    const one = isolate();
    one.isNotOffered(session);
    expect(await one.isMissing(session)).toBe(false);
    // A refusal may have been a fault of that moment.
    pass(59_999);
    expect(await one.isMissing(session)).toBe(false);
    pass(1);
    expect(await one.isMissing(session)).toBe(true);
  });
});
