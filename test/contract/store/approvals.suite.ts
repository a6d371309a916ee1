/** Held calls on each engine: decided once, resumed once, counted nowhere meanwhile, and sound in the audit chain. */
import { describe, expect, it } from "vitest";
import type { NewApproval } from "../../../src/domain/sampling/approval.ts";
import { maxHeldCalls } from "../../../src/domain/sampling/approval.ts";
import { decision, event, settlement, start, type Caller } from "./fixtures.ts";
import { anotherKey, caller, reservation } from "./fixtures.ts";
import { sql, type SQL } from "drizzle-orm";
import type { RejectedRow } from "../../../src/domain/tenancy/rejected-row.ts";
import { raw } from "../../../src/store/db.ts";
import { givenWorld, storesOn, value, type Backend } from "./open.ts";
import { sealAll } from "./sealing.ts";

const minuteMs = 60_000;
const contentHash = "ab".repeat(32);
const waiting = (more: Partial<NewApproval> = {}): NewApproval => ({
  stage: "request",
  deadline: start + 10 * minuteMs,
  onTimeout: "deny",
  conditions: [{ name: "tools", matches: ["send_mail"] }],
  contentHash,
  parts: ["v1.one", "v1.two"],
  ...more,
});

type Whose = Caller & { serverId?: string };

export const approvalsSuite = (backend: Backend): void => {
  describe("held calls", () => {
    const world = givenWorld(backend);

    const hold = async (
      who: Whose,
      more: Partial<NewApproval> = {},
      current: { tenantVersion?: number } = {},
    ) => {
      const held = reservation(who, start, {
        leaseUntil: null,
        approval: waiting(more),
        ...current,
      });
      held.opening.who.serverId = who.serverId ?? null;
      const limitChecks = held.limitChecks.filter(({ resource }) => resource !== "concurrent");
      const admission = value(await world.stores.ledger.admit({ ...held, limitChecks }));
      const place = { tenantId: who.tenantId, requestId: held.opening.id };
      return { held: { ...held, limitChecks }, place, admission };
    };
    const decide = (place: { tenantId: string; requestId: string }, more: object = {}) =>
      world.stores.approvals.decide(
        {
          ...place,
          stage: "request",
          state: "approved",
          contentHash,
          by: "operator",
          bySubject: null,
          isOwn: false,
          comment: null,
          edited: null,
          now: start + minuteMs,
          ...more,
        },
        event(place.tenantId, "approval.approve"),
      );
    const concurrentOf = (who: Caller) =>
      reservation(who, start + minuteMs).limitChecks.filter(
        ({ resource }) => resource === "concurrent",
      );
    const resume = async (
      who: Caller,
      place: { tenantId: string; requestId: string },
      { limitChecks = concurrentOf(who), tenantVersion = 2 } = {},
    ) => {
      return value(
        await world.stores.approvals.resume({
          ...place,
          stage: "request",
          now: start + minuteMs,
          leaseUntil: start + 2 * minuteMs,
          decision: decision(),
          limitChecks,
          tenantVersion,
        }),
      );
    };

    it("wait without a lease, keep their money, and take no place", async () => {
      const who = await caller(world.stores, {
        tenantLimits: { concurrent: 1, usdPerDay: 0.0025 },
      });
      const first = await hold(who);
      expect(first.admission.state).toBe("admitted");
      expect((await hold(who)).admission.state).toBe("admitted");
      // Two thirds of the budget are held.
      expect((await hold(who)).admission).toMatchObject({
        state: "refused",
        check: { resource: "usd_day" },
      });
      expect(value(await world.stores.ledger.sweep(start + 1_000 * minuteMs))).toBe(0);
      const found = value(await world.stores.approvals.find(first.place));
      expect(found).toMatchObject({ outcome: "admitted", approval: { state: "waiting" } });
      expect(value(await world.stores.approvals.content(first.place, "request"))).toBe(
        "v1.onev1.two",
      );
    });

    it("are listed with their model, their highest cost, and the person of their key", async () => {
      const who = await caller(world.stores);
      value(
        await world.db.write([
          raw(sql`update api_keys set user_id = 'usr_ann' where id = ${who.keyId}`),
        ]),
      );
      const { held } = await hold(who);
      const asked = { cursor: null, limit: 9, state: null };
      const { data } = value(await world.stores.approvals.list(who.tenantId, asked));
      const { provider, model } = held.decision;
      expect(data).toMatchObject([
        {
          model: `${provider}/${model}`,
          user: "usr_ann",
          maxMicroUsd: held.reservedMicroUsd,
        },
      ]);
      expect(data[0]).not.toHaveProperty("code");
    });

    it("are decided once, whoever is first, and the log has one event", async () => {
      const who = await caller(world.stores);
      const { place } = await hold(who);
      const decided = await Promise.all([
        decide(place, { by: "operator" }),
        decide(place, { by: "key_2", state: "denied" }),
        decide(place, { by: "key_3" }),
      ]);
      const states = decided.map((each) => value(each).state);
      expect(states.toSorted()).toEqual(["conflict", "conflict", "done"]);
      const events = value(
        await world.stores.events.list(who.tenantId, { cursor: null, limit: 50 }),
      ).data.filter(({ action }) => action === "approval.approve");
      expect(events).toHaveLength(1);
    });

    it("are not decided for other content than the approver saw, nor after their time", async () => {
      const who = await caller(world.stores);
      const { place } = await hold(who);
      expect(value(await decide(place, { contentHash: "cd".repeat(32) }))).toEqual({
        state: "conflict",
      });
      const late = { now: start + 10 * minuteMs };
      expect(value(await decide(place, late))).toEqual({ state: "conflict" });
      expect(value(await decide(place))).toEqual({ state: "done" });
    });

    it("are taken up once, with a place, and end as any call", async () => {
      const who = await caller(world.stores, { tenantLimits: { concurrent: 1 } });
      const [one, two] = [await hold(who), await hold(who)];
      expect((await resume(who, one.place)).state).toBe("gone");
      value(await decide(one.place));
      value(await decide(two.place, { by: "timeout" }));
      const resumed = await Promise.all([resume(who, one.place), resume(who, one.place)]);
      expect(resumed.map(({ state }) => state).toSorted()).toEqual(["gone", "resumed"]);
      expect((await resume(who, two.place)).state).toBe("busy");
      const first = resumed.find((each) => each.state === "resumed");
      const receipt = first?.state === "resumed" ? first.receipt : null;
      const ended = { ...settlement(one.held, start + minuteMs), receipt };
      expect(value(await world.stores.ledger.settle(ended))).toBe(true);
      expect((await resume(who, two.place)).state).toBe("resumed");
      expect(value(await world.stores.ledger.sweep(start + 9 * minuteMs))).toBe(1);
      // Both records are the router's own: the codes cover what the approval changed.
      await sealAll(world.stores, who.tenantId);
      const records = value(
        await world.stores.requests.list(who.tenantId, {}, { cursor: null, limit: 9 }),
      ).data;
      expect(records.map(({ outcome }) => outcome).toSorted()).toEqual(["succeeded", "unknown"]);
    });

    it("are not taken up by a caller who was read before a kill switch", async () => {
      const who = await caller(world.stores);
      const { place } = await hold(who);
      value(await decide(place));
      // The tenant's policy changes after the caller was read.
      const change = sql`update tenants set version = version + 1 where id = ${who.tenantId}`;
      value(await world.db.write([raw(change)]));
      expect((await resume(who, place)).state).toBe("busy");
      expect((await resume(who, place, { tenantVersion: 3 })).state).toBe("resumed");
    });

    it("are known as approved until they are taken up, to their own tenant alone", async () => {
      const [who, other] = [await caller(world.stores), await caller(world.stores)];
      const [one, two] = [await hold(who), await hold(who)];
      const ids = [one, two].map(({ place }) => place.requestId);
      const approvedOf = async (tenantId: string, requestIds = ids) => [
        ...value(await world.stores.approvals.approvedOf(tenantId, requestIds)),
      ];
      expect(await approvedOf(who.tenantId)).toEqual([]);
      value(await decide(one.place));
      value(await decide(two.place, { state: "denied" }));
      expect(await approvedOf(who.tenantId)).toEqual([one.place.requestId]);
      expect(await approvedOf(who.tenantId, [])).toEqual([]);
      expect(await approvedOf(other.tenantId)).toEqual([]);
      await resume(who, one.place);
      expect(await approvedOf(who.tenantId)).toEqual([]);
    });

    it("take their places when they are approved, exactly as many as there are", async () => {
      const who = await caller(world.stores, { tenantLimits: { concurrent: 4 } });
      const all = await Promise.all(Array.from({ length: 64 }, () => hold(who)));
      const slots = concurrentOf(who);
      // Two approvers at once, and both decide about every call.
      const decided = await Promise.all(
        all.flatMap(({ place }) => ["key_1", "key_2"].map((by) => decide(place, { by, slots }))),
      );
      const states = decided.map((each) => value(each).state);
      expect(states.filter((state) => state === "done")).toHaveLength(4);
      expect(decided.map(value)).toContainEqual(
        expect.objectContaining({ state: "refused", check: slots[0], used: 4 }),
      );
      const found = await Promise.all(all.map(({ place }) => world.stores.approvals.find(place)));
      const approved = all.filter((_, at) => value(found[at]!)?.approval.state === "approved");
      expect(approved).toHaveLength(4);
      // Nobody else gets a place of theirs, and each of them gets its own.
      const another = await world.stores.ledger.admit(reservation(who, start + minuteMs));
      expect(value(another)).toMatchObject({ state: "refused", check: { resource: "concurrent" } });
      const limits = value(await world.stores.limits.sum(who.tenantId, slots, start + minuteMs));
      expect(limits).toMatchObject([{ counted: 4 }]);
      const resumed = await Promise.all(approved.map(({ place }) => resume(who, place)));
      expect(resumed.map(({ state }) => state)).toEqual(Array(4).fill("resumed"));
    });

    it("count under the limit of a tag as soon as they are taken up", async () => {
      const who = await caller(world.stores);
      const nodes = [{ scope: "tag", subject: "tag:mail", limits: { concurrent: 1 } }] as const;
      const tagged = () => reservation(who, start + minuteMs, { nodes });
      const slots = tagged().limitChecks.filter(({ resource }) => resource === "concurrent");
      const [one, two] = [await hold(who), await hold(who)];
      for (const { place } of [one, two]) value(await decide(place));
      expect((await resume(who, one.place, { limitChecks: slots })).state).toBe("resumed");
      expect((await resume(who, two.place, { limitChecks: slots })).state).toBe("busy");
      const another = value(await world.stores.ledger.admit(tagged()));
      expect(another).toMatchObject({ state: "refused", check: { subject: "tag:mail" } });
      expect(value(await world.stores.ledger.sweep(start + 9 * minuteMs))).toBe(1);
      expect((await resume(who, two.place, { limitChecks: slots })).state).toBe("resumed");
    });

    it("give their places back when they are withdrawn, or after ten minutes", async () => {
      const who = await caller(world.stores, { keyLimits: { concurrent: 1 } });
      const [one, two, three] = [await hold(who), await hold(who), await hold(who)];
      const slots = concurrentOf(who);
      expect(value(await decide(one.place, { slots })).state).toBe("done");
      expect(value(await decide(two.place, { slots })).state).toBe("refused");
      expect(value(await world.stores.approvals.find(two.place))?.approval.state).toBe("waiting");
      value(await world.stores.approvals.withdraw(one.place, start + minuteMs));
      expect(value(await decide(two.place, { slots })).state).toBe("done");
      const admitAt = async (now: number) =>
        value(await world.stores.ledger.admit(reservation(who, now))).state;
      expect(await admitAt(start + 11 * minuteMs - 1)).toBe("refused");
      expect(await admitAt(start + 11 * minuteMs)).toBe("admitted");
      expect(value(await decide(three.place, { state: "denied", slots: [] })).state).toBe("done");
    });

    it("are denied or approved when their time is over, as their rule says", async () => {
      const who = await caller(world.stores);
      const deny = await hold(who);
      const approve = await hold(who, { onTimeout: "approve" });
      const { approvals } = world.stores;
      expect(value(await approvals.expire(start + 10 * minuteMs))).toBeGreaterThanOrEqual(2);
      const stateOf = async (place: typeof deny.place) =>
        value(await approvals.find(place))?.approval;
      expect(await stateOf(deny.place)).toMatchObject({ state: "expired", decidedBy: "timeout" });
      expect(await stateOf(approve.place)).toMatchObject({
        state: "approved",
        decidedBy: "timeout",
      });
      expect(value(await approvals.findUnclosed())).toContainEqual(deny.place);
      expect(value(await approvals.findUnclosed())).not.toContainEqual(approve.place);
      value(await approvals.close(deny.place));
      expect(value(await approvals.findUnclosed())).not.toContainEqual(deny.place);
      // Nobody came for what was approved.
      value(await approvals.expire(start + 1_000 * minuteMs));
      expect(await stateOf(approve.place)).toMatchObject({ state: "expired" });
    });

    it("are withdrawn while nobody has begun them, and end then without a charge", async () => {
      const who = await caller(world.stores);
      const { approvals, ledger } = world.stores;
      const [waits, approved, begun] = [await hold(who), await hold(who), await hold(who)];
      value(await decide(approved.place));
      value(await decide(begun.place));
      expect((await resume(who, begun.place)).state).toBe("resumed");
      const at = start + minuteMs;
      expect(value(await approvals.withdraw(begun.place, at))).toBe(false);
      for (const { place } of [waits, approved]) {
        // The second try is the same one, sent again.
        for (const _ of [1, 2]) expect(value(await approvals.withdraw(place, at))).toBe(true);
        const found = value(await approvals.find(place));
        expect(found?.approval).toMatchObject({ state: "withdrawn", decidedBy: "caller" });
        expect(value(await decide(place)).state).toBe("conflict");
        expect((await resume(who, place)).state).toBe("gone");
        expect(value(await approvals.findUnclosed())).toContainEqual(place);
      }
      const charged = { receipt: null, chargedTokens: 0, chargedMicroUsd: 0 };
      const ended = { ...settlement(waits.held, at), ...charged, outcome: "cancelled" as const };
      expect(value(await ledger.settle(ended))).toBe(true);
      expect(value(await ledger.settle(ended))).toBe(false);
      value(await approvals.close(waits.place));
      expect(value(await approvals.withdraw(waits.place, at))).toBe(true);
      expect(value(await approvals.findUnclosed())).not.toContainEqual(waits.place);
    });

    it("end as the first of a decision, a timeout and a withdrawal says", async () => {
      const who = await caller(world.stores);
      const { approvals } = world.stores;
      for (let round = 0; round < 6; round += 1) {
        const { place } = await hold(who, { deadline: start + 2 * minuteMs });
        const racing: (() => Promise<unknown>)[] = [
          () => decide(place).then((each) => (decided = value(each).state)),
          () => approvals.expire(start + 2 * minuteMs).then(value),
          () => approvals.withdraw(place, start).then((each) => (isWithdrawn = value(each))),
        ];
        let decided = "";
        let isWithdrawn = false;
        // Each has its turn to be first.
        racing.push(...racing.splice(0, round % 3));
        await Promise.all(racing.map((act) => act()));
        const state = value(await approvals.find(place))?.approval.state;
        const undone = decided === "done" ? "approved" : "expired";
        expect(state).toBe(isWithdrawn ? "withdrawn" : undone);
      }
    });

    it("hold the money of an edit in place of the money before, if the budget has room", async () => {
      const who = await caller(world.stores, { tenantLimits: { usdPerDay: 0.004 } });
      const [one, other] = [await hold(who), await hold(who)];
      const claimFor = (microUsd: number) => {
        const { limitChecks } = reservation(who, start, { microUsd });
        return { decision: decision(), limitChecks, reservedTokens: 5, reservedMicroUsd: microUsd };
      };
      const refused = value(await decide(one.place, { claim: claimFor(3_500) }));
      expect(refused).toMatchObject({
        state: "refused",
        check: { resource: "usd_day" },
        used: 2_000,
      });
      const waits = value(await world.stores.approvals.find(one.place));
      expect(waits).toMatchObject({ approval: { state: "waiting" }, reservedMicroUsd: 1_000 });
      expect(value(await decide(one.place, { claim: claimFor(3_000) }))).toEqual({ state: "done" });
      const limitChecks = value(await world.stores.approvals.find(one.place));
      expect(limitChecks).toMatchObject({ reservedMicroUsd: 3_000, reservedTokens: 5 });
      // All of the budget is held by now.
      expect((await hold(who)).admission.state).toBe("refused");
      expect(value(await decide(other.place, { claim: claimFor(500) }))).toEqual({ state: "done" });
      const resumed = await resume(who, one.place);
      const receipt = resumed.state === "resumed" ? resumed.receipt : null;
      const ended = { ...settlement(one.held, start + minuteMs), receipt, chargedMicroUsd: 100 };
      expect(value(await world.stores.ledger.settle(ended))).toBe(true);
      await sealAll(world.stores, who.tenantId);
      const fits = await hold(who);
      expect(fits.admission.state).toBe("admitted");
    });

    describe("whose rows the router did not write", () => {
      const change = async (set: SQL, { requestId }: { requestId: string }) =>
        value(
          await world.db.write([
            raw(sql`update approvals set ${set} where request_id = ${requestId}`),
          ]),
        );
      const reporting = () => {
        const rejected: RejectedRow[] = [];
        const { approvals } = storesOn(world.db, undefined, undefined, (row) => rejected.push(row));
        return { approvals, rejected };
      };
      const approvedByHand = sql`state = 'approved', decided_by = 'operator',
        decided_at = ${start}, deadline = ${start + 100 * minuteMs}`;

      it("are released by no approval, and are reported", async () => {
        const who = await caller(world.stores);
        const { place } = await hold(who);
        await change(approvedByHand, place);
        const { approvals, rejected } = reporting();
        const found = value(await approvals.find(place));
        expect(found?.approval).toMatchObject({ state: "expired", decidedBy: "timeout" });
        expect(found?.stages).toEqual([]);
        expect(value(await approvals.approvedOf(who.tenantId, [place.requestId])).size).toBe(0);
        expect((await resume(who, place)).state).toBe("gone");
        expect(rejected).toContainEqual({
          tenantId: who.tenantId,
          table: "approvals",
          id: `${place.requestId} request`,
        });
      });

      it.each([
        ["another state", sql`state = 'approved'`],
        ["another end", sql`deadline = deadline + 1`],
        ["another rule", sql`on_timeout = 'approve', deadline = 1`],
        ["other content", sql`edited = '{"content":"cd"}'`],
        ["another person", sql`decided_by_subject = 'finder'`],
        ["another key", sql`key_id = 'key_other'`],
        ["no code", sql`code = null`],
      ])("with %s are not approved by anybody, nor when their time is over", async (_, set) => {
        const who = await caller(world.stores);
        const { place } = await hold(who);
        await change(set, place);
        expect(value(await decide(place)).state).toBe("conflict");
        const { approvals } = world.stores;
        expect(value(await approvals.withdraw(place, start))).toBe(false);
        value(await approvals.expire(start + 1_000 * minuteMs));
        expect(value(await approvals.find(place))?.approval.state).toBe("expired");
        expect(value(await approvals.findUnclosed())).toContainEqual(place);
      });

      it("are not begun twice by a state that is set back", async () => {
        const who = await caller(world.stores);
        const { place, held } = await hold(who);
        value(await decide(place));
        expect((await resume(who, place)).state).toBe("resumed");
        const result = { ...place, keyId: who.keyId, now: start + minuteMs };
        value(await world.stores.approvals.holdResult(result, waiting({ stage: "result" })));
        value(await world.db.write([raw(sql`delete from approvals where stage = 'result'`)]));
        await change(sql`state = 'approved', is_open = 1`, place);
        expect((await resume(who, place)).state).toBe("gone");
        expect(held.opening.id).toBe(place.requestId);
      });

      it("give out no result, and stop no running call", async () => {
        const who = await caller(world.stores);
        const { place } = await hold(who);
        value(await decide(place));
        expect((await resume(who, place)).state).toBe("resumed");
        value(
          await world.db.write([
            raw(sql`insert into approvals select tenant_id, request_id, 'result', key_id, 'approved',
              created_at, deadline, on_timeout, conditions, content_hash, decided_at, decided_by,
              decided_by_subject, is_own, comment, edited,
              code, webhook_url, notice, nonce, 1 from approvals where request_id = ${place.requestId}`),
          ]),
        );
        const { approvals } = world.stores;
        expect(value(await approvals.find(place))?.approval.state).toBe("started");
        const result = { ...place, keyId: who.keyId, now: start + minuteMs };
        value(await approvals.holdResult(result, waiting({ stage: "result" })));
        expect(value(await approvals.find(place))?.approval.state).toBe("expired");
      });

      it("are left out of a list, and don't end its pages early", async () => {
        const who = await caller(world.stores);
        const all = [];
        for (let n = 0; n < 5; n += 1) all.push(await hold(who));
        for (const { place } of all.slice(1, 4)) await change(sql`comment = 'forged'`, place);
        const { approvals, rejected } = reporting();
        const asked = { cursor: null, limit: 1, state: null };
        const first = value(await approvals.list(who.tenantId, asked));
        const second = value(
          await approvals.list(who.tenantId, { ...asked, cursor: first.nextCursor }),
        );
        const shownIds = [first, second].flatMap(({ data }) => data.map((row) => row.requestId));
        expect(shownIds).toEqual([all[4], all[0]].map((each) => each?.place.requestId));
        expect(second.nextCursor).toBeNull();
        expect(rejected).toHaveLength(3);
      });
    });

    it("are bounded in number for each key, server and tenant", async () => {
      const { approvals } = world.stores;
      const one = await caller(world.stores);
      const others: Caller[] = [];
      while (others.length < 4)
        others.push({ ...one, keyId: await anotherKey(world.stores, one.tenantId) });
      const [two, three, four, last] = others as [Caller, Caller, Caller, Caller];
      // Each of them is a new version of the tenant.
      const holdOne = (who: Whose) => hold(who, {}, { tenantVersion: 6 });
      const fill = async (who: Whose) => {
        const held = await Promise.all(
          Array.from({ length: maxHeldCalls.key }, () => holdOne(who)),
        );
        expect(new Set(held.map(({ admission }) => admission.state))).toEqual(
          new Set(["admitted"]),
        );
      };
      const countOf = async (who: Whose) =>
        value(await approvals.count({ ...who, serverId: who.serverId ?? null }));
      await fill({ ...one, serverId: "srv_one" });
      expect((await holdOne(one)).admission.state).toBe("stale");
      await fill({ ...two, serverId: "srv_one" });
      expect(await countOf({ ...three, serverId: "srv_one" })).toEqual({
        key: 0,
        server: maxHeldCalls.server,
        tenant: maxHeldCalls.server,
      });
      expect((await holdOne({ ...three, serverId: "srv_one" })).admission.state).toBe("stale");
      await fill({ ...three, serverId: "srv_two" });
      await fill(four);
      expect(await countOf(last)).toEqual({ key: 0, server: 0, tenant: maxHeldCalls.tenant });
      expect((await holdOne(last)).admission.state).toBe("stale");
    });
  });
};
