/** Messages to webhooks on each engine: written with what they tell of, sent by one, and signed by secrets that change. */
import { describe, expect, it } from "vitest";
import { approvedCallTtlMs, type NewApproval } from "../../../src/domain/sampling/approval.ts";
import { keptMessagesMs } from "../../../src/domain/ports/webhooks.ts";
import { caller, event, id, reservation, start, type Caller } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";

const minuteMs = 60_000;
const contentHash = "ab".repeat(32);
const url = "https://hooks.test/approvals";
const page = { cursor: null, limit: 50 };
const waiting = (notice: object, more: Partial<NewApproval> = {}): NewApproval => ({
  stage: "request",
  deadline: start + minuteMs,
  onTimeout: "deny",
  conditions: [],
  contentHash,
  parts: ["v1.shown"],
  webhook: { url, notice: { model: "openai/gpt", ...notice } },
  ...more,
});

export const webhooksSuite = (backend: Backend): void => {
  describe("messages to webhooks", () => {
    const world = givenWorld(backend);

    const hold = async (who: Caller, approval: NewApproval) => {
      const held = reservation(who, start, { leaseUntil: null, approval });
      const limitChecks = held.limitChecks.filter(({ resource }) => resource !== "concurrent");
      expect(value(await world.stores.ledger.admit({ ...held, limitChecks })).state).toBe(
        "admitted",
      );
      return { tenantId: who.tenantId, requestId: held.opening.id };
    };
    const decide = (place: { tenantId: string; requestId: string }, more: object) =>
      world.stores.approvals.decide(
        {
          ...place,
          stage: "request",
          state: "approved",
          contentHash,
          by: "key_1",
          bySubject: null,
          isOwn: false,
          comment: null,
          edited: null,
          now: start + 1,
          ...more,
        },
        event(place.tenantId),
      );
    const claim = async (now: number) => {
      const due = value(await world.stores.webhooks.due(now));
      return value(await world.stores.webhooks.claim(due, { now, until: now + minuteMs }));
    };
    const messagesOf = async (who: Caller) =>
      value(await world.stores.webhooks.list(who.tenantId, page)).data;
    const told = async (who: Caller) =>
      (await messagesOf(who)).map(({ id: its, body }) => ({ id: its, ...JSON.parse(body) }));

    it("are written with the held call, and with its end, once each", async () => {
      const who = await caller(world.stores);
      const place = await hold(who, waiting({ tool: "send_mail" }));
      const name = `msg_${place.requestId}_request`;
      const deadline = new Date(start + minuteMs).toISOString();
      const data = {
        model: "openai/gpt",
        tool: "send_mail",
        deadline,
        decidedBy: null,
        decidedAt: null,
      };
      const timestamp = new Date(start).toISOString();
      expect(await told(who)).toEqual([
        { id: `${name}_held`, type: "approval.held", timestamp, data },
      ]);
      expect((await messagesOf(who))[0]).toMatchObject({ url, state: "pending", nextAt: start });
      value(await decide(place, { edited: { model: "openai/other" } }));
      expect(value(await decide(place, { state: "denied" })).state).toBe("conflict");
      expect(await told(who)).toContainEqual({
        id: `${name}_approved`,
        type: "approval.approved",
        timestamp: new Date(start + 1).toISOString(),
        data: {
          ...data,
          model: "openai/other",
          // So long its caller may come for it.
          deadline: new Date(start + 1 + approvedCallTtlMs).toISOString(),
          decidedBy: "key_1",
          decidedAt: new Date(start + 1).toISOString(),
        },
      });
      // Nobody came for it.
      for (const now of [start + 1_000 * minuteMs, start + 1_001 * minuteMs])
        value(await world.stores.approvals.expire(now));
      expect((await told(who)).map(({ type }) => type as string).toSorted()).toEqual([
        "approval.abandoned",
        "approval.approved",
        "approval.held",
      ]);
    });

    it("say what the time decided, and nothing of a call without an address", async () => {
      const who = await caller(world.stores);
      const { webhook: _, ...silent } = waiting({});
      await hold(who, silent);
      expect(await told(who)).toEqual([]);
      const place = await hold(who, waiting({}));
      value(await world.stores.approvals.expire(start + minuteMs));
      expect(await told(who)).toContainEqual(
        expect.objectContaining({
          id: `msg_${place.requestId}_request_timed_out`,
          data: expect.objectContaining({ decidedBy: "timeout" }),
        }),
      );
      expect(await told(who)).toHaveLength(2);
    });

    it("are claimed by one sender, and by another only after the first one's time", async () => {
      const who = await caller(world.stores);
      const place = await hold(who, waiting({}));
      const both = await Promise.all([claim(start), claim(start)]);
      expect(both.flat()).toMatchObject([{ tenantId: who.tenantId, url, attempts: 1 }]);
      expect(await claim(start + minuteMs - 1)).toEqual([]);
      const again = await claim(start + minuteMs);
      expect(again).toMatchObject([{ attempts: 2 }]);
      const its = { tenantId: who.tenantId, id: `msg_${place.requestId}_request_held` };
      const { webhooks } = world.stores;
      const noted = { ...its, status: 200, fault: null, now: start + 9 } as const;
      // The first sender was too slow: the second one's word counts.
      value(await webhooks.note({ ...noted, attempts: 1, state: "delivered", nextAt: null }, null));
      expect(await messagesOf(who)).toMatchObject([{ state: "pending", endedAt: null }]);
      const failed = { ...noted, attempts: 2, state: "failed", nextAt: null } as const;
      const gone = { status: 410, fault: "Gone." };
      value(await webhooks.note({ ...failed, ...gone }, event(who.tenantId, "webhook.failed")));
      value(await webhooks.note({ ...failed, ...gone }, event(who.tenantId, "webhook.failed")));
      expect(await messagesOf(who)).toMatchObject([
        { state: "failed", nextAt: null, endedAt: start + 9, ...gone },
      ]);
      const events = value(await world.stores.events.list(who.tenantId, page)).data;
      expect(events.filter(({ action }) => action === "webhook.failed")).toHaveLength(1);
      value(await webhooks.prune(start + 8 + keptMessagesMs));
      expect(await messagesOf(who)).toHaveLength(1);
      value(await webhooks.prune(start + 9 + keptMessagesMs));
      expect(await messagesOf(who)).toEqual([]);
    });

    it("are due in pages of two of each tenant and URL, and claimed under their own tenant alone", async () => {
      const [one, other] = [await caller(world.stores), await caller(world.stores)];
      for (let count = 0; count < 5; count += 1) await hold(one, waiting({}));
      const place = await hold(other, waiting({}));
      const { webhooks } = world.stores;
      const due = value(await webhooks.due(start));
      expect(due.map(({ tenantId }) => tenantId).toSorted()).toEqual(
        [one.tenantId, one.tenantId, other.tenantId].toSorted(),
      );
      const foreign = { tenantId: one.tenantId, id: `msg_${place.requestId}_request_held` };
      const about = { now: start, until: start + minuteMs };
      expect(value(await webhooks.claim([foreign], about))).toEqual([]);
      expect(value(await webhooks.claim(due, about))).toHaveLength(3);
      expect(value(await webhooks.due(start))).toHaveLength(2);
    });

    it("get the header that was set last for their origin, which signs nothing and outlasts new secrets", async () => {
      const { tenantId } = await caller(world.stores);
      const { webhooks } = world.stores;
      const secret = (sealed: string, destination: string | null) => ({
        id: id("webhook"),
        tenantId,
        destination,
        sealed,
        createdAt: start,
      });
      const put = async (sealed: string | null, destination: string) =>
        value(
          await webhooks.replaceHeader(
            { tenantId, destination },
            sealed === null ? null : secret(sealed, destination),
            event(tenantId),
          ),
        );
      await put("one", "https://a.test");
      await put("other", "https://b.test");
      await put("two", "https://a.test");
      for (const each of ["first", "second"])
        value(await webhooks.rotate(secret(each, null), start + minuteMs, event(tenantId)));
      const kept = async () =>
        value(await webhooks.secrets(tenantId, start + 9 * minuteMs)).map(
          ({ sealed, destination }) => [sealed, destination],
        );
      expect(await kept()).toEqual([
        ["second", null],
        ["two", "https://a.test"],
        ["other", "https://b.test"],
      ]);
      await put(null, "https://a.test");
      expect(await kept()).toEqual([
        ["second", null],
        ["other", "https://b.test"],
      ]);
    });

    it("are signed by two secrets at most, the older one until its time is over", async () => {
      const who = await caller(world.stores);
      const { tenantId } = who;
      const { webhooks } = world.stores;
      const make = async (sealed: string, createdAt: number) => {
        const secret = { id: id("webhook"), tenantId, destination: null, sealed, createdAt };
        return value(await webhooks.rotate(secret, createdAt + minuteMs, event(tenantId)));
      };
      const sealedAt = async (now: number) =>
        value(await webhooks.secrets(tenantId, now)).map(({ sealed }) => sealed);
      expect(await make("one", start)).toBe(false);
      expect(await sealedAt(start + 9 * minuteMs)).toEqual(["one"]);
      expect(await make("two", start + 1)).toBe(true);
      expect(await sealedAt(start + minuteMs)).toEqual(["two", "one"]);
      expect(await sealedAt(start + 1 + minuteMs)).toEqual(["two"]);
      await make("three", start + 2);
      expect(await sealedAt(start + 3)).toEqual(["three", "two"]);
      expect(value(await webhooks.prune(start + 2 + minuteMs))).toBe(1);
    });
  });
};
