/** Alerts on each engine: found from the counters, written once a period, told to a receiver once. */
import { describe, expect, it } from "vitest";
import { keptAlertsMs } from "../../../src/store/notifications/alerts.ts";
import { calendarOf } from "../../../src/pipeline/callers/time-zones.ts";
import { createDeliverySlots } from "../../../src/domain/limits/delivery-slots.ts";
import { createSendWebhooks, type WebhookDeps } from "../../../src/pipeline/scheduled/webhooks.ts";
import type { AlertReceiver } from "../../../src/domain/alerts.ts";
import type { Policy } from "../../../src/domain/choice/policy.ts";
import { ok } from "../../../src/domain/result.ts";
import {
  caller,
  credential,
  event,
  id,
  opening,
  reservation,
  server,
  settlement,
  start,
  waitingForAPerson,
  type Caller,
} from "./fixtures.ts";
import { givenAlerts, minuteMs } from "./given-alerts.ts";
import { told } from "./given-ledger.ts";
import { storesOn, value, type Backend } from "./open.ts";
import { patient } from "../../setup/patience.ts";

const url = "https://hooks.test/alerts";
/** `start` is 2027-01-15T08:00:00Z. */
const midnight = Date.UTC(2_027, 0, 16);
const dayMs = 86_400_000;
const usdPerDay = 0.1;
const alerted: Policy = { alerts: { receivers: [{ webhookUrl: url }] } };

export const alertsSuite = (backend: Backend): void => {
  describe("alerts", () => {
    const { world, running, settle, admit, look, alertsOf, spend, messagesOf, eventsOf } =
      givenAlerts(backend);
    const sender = ({ post, now }: Pick<WebhookDeps, "post" | "now">) =>
      createSendWebhooks({
        webhooks: {
          ...world.stores.webhooks,
          secrets: async (tenantId) =>
            ok([{ id: "whk_1", tenantId, destination: null, sealed: "s", createdAt: start }]),
        },
        vault: {
          seal: async (plain) => plain,
          open: async (sealed) => ok(sealed),
          sealPrefix: "",
        },
        sign: async () => "v1,signature",
        post,
        rules: { allowPrivate: false, ownOrigins: [] },
        ids: { next: id },
        slots: createDeliverySlots(),
        now,
        wait: () => new Promise(() => {}),
      });
    const thresholdsOf = async (who: Caller) =>
      (await alertsOf(who)).map(({ threshold }) => threshold);

    it(
      "tell of 80 % once while sixteen processes cross it",
      { timeout: patient(120_000) },
      async () => {
        const who = await caller(world.stores, { tenantLimits: { usdPerDay }, policy: alerted });
        const processes = [world.stores];
        while (processes.length < 16) processes.push(storesOn(await world.again()));
        await Promise.all(
          processes.map(async (stores) => {
            for (let count = 0; count < 4; count += 1) {
              const reserved = reservation(who, start, { microUsd: 1_400 });
              const admission = value(await stores.ledger.admit(reserved));
              expect(told(admission)).toBe("admitted");
              const receipt = admission.state === "admitted" ? admission.receipt : null;
              const charged = { costMicroUsd: 1_300, chargedMicroUsd: 1_300, receipt };
              value(await stores.ledger.settle(settlement(reserved, start, charged)));
              await look(start, stores);
            }
          }),
        );
        await look();
        expect(await alertsOf(who)).toMatchObject([
          { threshold: 50, kind: "budget_crossed", name: "tenant.usdPerDay", limit: usdPerDay },
          { threshold: 80, subject: who.tenantId, periodFrom: midnight - 86_400_000 },
        ]);
        expect((await messagesOf(who)).map(({ body }) => JSON.parse(body))).toMatchObject([
          {
            type: "alert.budget_crossed",
            data: {
              threshold: 80,
              name: "tenant.usdPerDay",
              tenant: who.tenantId.replace("_", "-"),
            },
          },
          { type: "alert.budget_crossed", data: { threshold: 50 } },
        ]);
        expect(await eventsOf(who)).toHaveLength(2);
      },
    );

    it("reach a receiver that failed for an hour, once", async () => {
      const who = await caller(world.stores, { tenantLimits: { usdPerDay }, policy: alerted });
      await spend(who, 85_000);
      await look();
      const backAt = start + 60 * minuteMs;
      let now = start;
      const received: string[] = [];
      const send = sender({
        now: () => now,
        async post({ headers }) {
          if (now < backAt) return { status: 503, fault: "It answered 503." };
          received.push(String(headers["webhook-id"]));
          return { status: 204, fault: null };
        },
      });
      for (; now < start + 240 * minuteMs; now += 5 * minuteMs) {
        expect(value(await world.stores.alerts.crossed(now, calendarOf))).toEqual([]);
        value(await send());
      }
      const messages = await messagesOf(who);
      expect(messages).toMatchObject([{ state: "delivered" }, { state: "delivered" }]);
      const [alert] = await alertsOf(who);
      expect(alert?.deliveries).toMatchObject([
        {
          id: `msg_${alert?.id}_budget_crossed_1`,
          url,
          state: "delivered",
          status: 204,
          fault: null,
        },
      ]);
      expect(received.toSorted()).toEqual(messages.map((message) => message.id).toSorted());
    });

    it("reach each receiver that wants them, and say which of them failed", async () => {
      const [first, second, third] = ["a", "b", "c"].map((host) => `https://${host}.test/hook`);
      const receivers = [
        { webhookUrl: first, thresholds: [80, 100] },
        { webhookUrl: second, kinds: ["budget_crossed"] },
        { webhookUrl: third, kinds: ["credential_failing"], thresholds: [50, 80, 100] },
      ] as AlertReceiver[];
      const who = await caller(world.stores, {
        tenantLimits: { usdPerDay },
        policy: { alerts: { receivers } },
      });
      const broken = credential(who.tenantId, { status: "failing" });
      value(await world.stores.credentials.create(broken, event(who.tenantId)));
      await spend(who, 85_000, { tenantVersion: 3 });
      await look();
      const send = sender({
        now: () => start,
        post: async (message) =>
          message.url === first
            ? { status: 410, fault: "It answered 410." }
            : { status: 204, fault: null },
      });
      value(await send());
      const sent = { state: "delivered", status: 204, fault: null, endedAt: start };
      const lost = { state: "failed", status: 410, fault: "It answered 410.", endedAt: start };
      const delivered = (await alertsOf(who)).map(({ kind, threshold, deliveries }) => [
        threshold ?? kind,
        deliveries.map(({ id: _, ...delivery }) => delivery),
      ]);
      expect(Object.fromEntries(delivered)).toEqual({
        50: [{ ...sent, url: second }],
        80: [
          { ...lost, url: first },
          { ...sent, url: second },
        ],
        credential_failing: [
          { ...lost, url: first },
          { ...sent, url: third },
        ],
      });
      const ids = (await messagesOf(who)).map((message) => message.id);
      expect(new Set(ids).size).toBe(5);
    });

    it("are sent as the receiver expects, and kinds that it doesn't want are only listed", async () => {
      const slack = await caller(world.stores, {
        tenantLimits: { usdPerDay },
        policy: { alerts: { receivers: [{ webhookUrl: url, format: "slack" }] } },
      });
      const other = await caller(world.stores, {
        tenantLimits: { usdPerDay },
        policy: { alerts: { receivers: [{ webhookUrl: url, kinds: ["credential_failing"] }] } },
      });
      for (const who of [slack, other]) await spend(who, 60_000);
      await look();
      const [sent] = await messagesOf(slack);
      expect(JSON.parse(sent?.body ?? "")).toEqual({
        text: expect.stringMatching(/50% of the budget per day of .*\/limits\|View in console>$/),
      });
      expect(await messagesOf(other)).toEqual([]);
      expect(await alertsOf(other)).toHaveLength(1);
    });

    it("are written once where a batch is sent twice", async () => {
      const who = await caller(world.stores, { tenantLimits: { usdPerDay }, policy: alerted });
      await spend(who, 60_000);
      const [line] = value(await world.stores.alerts.crossed(start, calendarOf));
      if (line === undefined) throw new Error("Nothing was crossed.");
      const alert = { ...line, kind: "budget_crossed", id: id("alert"), at: start } as const;
      const its = event(who.tenantId, "alert.raised");
      const messages = [url, `${url}/2`].map((each) => ({ url: each, body: "{}" }));
      for (const _ of [1, 2])
        expect(value(await world.stores.alerts.raise(alert, its, messages))).toBe(true);
      const late = { ...alert, id: id("alert") };
      const another = event(who.tenantId, "alert.raised");
      expect(value(await world.stores.alerts.raise(late, another, messages))).toBe(false);
      const unsent = { state: "pending", status: null, fault: null, endedAt: null };
      const deliveries = messages.map((message, at) => ({
        ...unsent,
        url: message.url,
        id: `msg_${alert.id}_budget_crossed_${at + 1}`,
      }));
      expect(await alertsOf(who)).toEqual([{ ...alert, deliveries }]);
      expect(await messagesOf(who)).toHaveLength(2);
      expect(await eventsOf(who)).toHaveLength(1);
    });

    it("count what calls used, and not what they reserve", async () => {
      const who = await caller(world.stores, { tenantLimits: { usdPerDay } });
      const reserved = await running(who, start, { microUsd: 90_000 });
      expect(await look()).toBe(0);
      await settle(reserved, start, { costMicroUsd: 500, chargedMicroUsd: 500 });
      expect(await look()).toBe(0);
      await spend(who, 49_500);
      expect(await look()).toBe(1);
      expect(await alertsOf(who)).toMatchObject([{ threshold: 50, used: 0.05 }]);
      expect(await messagesOf(who)).toEqual([]);
    });

    it("don't count what calls hold that wait for a person", async () => {
      const who = await caller(world.stores, { tenantLimits: { usdPerDay } });
      const held = await running(who, start, { ...waitingForAPerson, microUsd: 90_000 });
      expect(await look()).toBe(0);
      await settle(held, start, { costMicroUsd: 60_000, chargedMicroUsd: 60_000 });
      expect(await look()).toBe(1);
      expect(await alertsOf(who)).toMatchObject([{ threshold: 50, used: 0.06 }]);
    });

    it("say that a budget is empty once a call does not fit", async () => {
      const who = await caller(world.stores, { tenantLimits: { usdPerDay } });
      await spend(who, 90_000);
      await look();
      expect(await thresholdsOf(who)).toEqual([50, 80]);
      expect(told(await admit(who, start, { microUsd: 20_000 }))).toBe("refused by tenant usd_day");
      expect(await look()).toBe(1);
      expect(await alertsOf(who)).toMatchObject([{}, {}, { threshold: 100, used: 0.09 }]);
    });

    it("say of no budget that it is empty where running calls alone were in the way", async () => {
      const who = await caller(world.stores, { tenantLimits: { usdPerDay } });
      await running(who, start, { microUsd: 95_000 });
      expect(told(await admit(who, start, { microUsd: 20_000 }))).toBe("refused by tenant usd_day");
      expect(await look()).toBe(0);
      expect(await thresholdsOf(who)).toEqual([]);
    });

    it("come again in the next period, and of the last minute of the one before", async () => {
      const who = await caller(world.stores, { tenantLimits: { usdPerDay } });
      await spend(who, 55_000);
      await look();
      await spend(who, 30_000, { now: midnight - 1_000 });
      const later = [midnight + minuteMs, midnight + minuteMs, midnight + 3 * minuteMs];
      await look(later[0]);
      await look(later[1]);
      await spend(who, 60_000, { now: midnight + 2 * minuteMs });
      await look(later[2]);
      const ofBudgets = (await alertsOf(who)).filter(({ kind }) => kind === "budget_crossed");
      expect(ofBudgets).toMatchObject([
        { threshold: 50, periodUntil: midnight },
        { threshold: 80, periodUntil: midnight },
        { threshold: 50, periodFrom: midnight },
      ]);
    });

    it("name the key's, the server's and the operator's budgets, at the tenant's thresholds", async () => {
      const who = await caller(world.stores, {
        keyLimits: { usdPerMonth: usdPerDay },
        policy: { alerts: { thresholds: [10] } },
      });
      const asking = server(who.tenantId, { policy: { limits: { usdPerDay } } });
      value(await world.stores.servers.create(asking, event(who.tenantId)));
      const ceiling = { limits: { usdPerDay: usdPerDay / 2 } };
      value(await world.stores.tenants.update(who.tenantId, { ceiling }, event(who.tenantId)));
      const capped = { ...who, tenantLimits: ceiling.limits };
      await spend(capped, 20_000, {
        tenantVersion: 4,
        server: { id: asking.id, limits: { usdPerDay } },
      });
      expect(await look()).toBe(3);
      expect(
        (await alertsOf(who))
          .map(({ name, subject, threshold }) => [name, subject, threshold])
          .toSorted(),
      ).toEqual([
        ["ceiling.usdPerDay", who.tenantId, 10],
        ["key.usdPerMonth", who.keyId, 10],
        ["server.usdPerDay", asking.id, 10],
      ]);
    });

    it("are listed in pages, newest first", async () => {
      const who = await caller(world.stores, { tenantLimits: { usdPerDay } });
      await spend(who, 100_000);
      await look();
      const first = value(await world.stores.alerts.list(who.tenantId, { cursor: null, limit: 2 }));
      const { nextCursor: cursor } = first;
      const rest = value(await world.stores.alerts.list(who.tenantId, { cursor, limit: 2 }));
      expect([first, rest].map(({ data }) => data.map(({ threshold }) => threshold))).toEqual([
        [100, 80],
        [50],
      ]);
      expect(rest.nextCursor).toBeNull();
    });

    it("tell once a day of what does not work", async () => {
      const who = await caller(world.stores, { policy: alerted });
      const { tenantId } = who;
      const broken = credential(tenantId, { status: "failing" });
      const away = server(tenantId, { status: "failing" });
      value(await world.stores.credentials.create(broken, event(tenantId)));
      value(await world.stores.credentials.create(credential(tenantId), event(tenantId)));
      value(await world.stores.servers.create(away, event(tenantId)));
      value(await world.stores.ledger.refuse(opening(who), "internal", null, null));
      const scope = "endpoint https://api.test";
      for (const at of [start, start + minuteMs, start + 9 * minuteMs]) {
        const reserved = await running(who, start, { tenantVersion: 5 });
        const fault = { scope, began: at, at, retryAfterMs: null };
        await settle(reserved, at, { circuits: [{ closes: [], fault }] });
      }
      expect(await look(start + 9 * minuteMs)).toBe(2);
      expect(await look(start + 16 * minuteMs)).toBe(1);
      // The circuit's row was changed for the last time at the ninth minute.
      const at = start + 9 * minuteMs + 1_000;
      const reserved = await running(who, start, { tenantVersion: 5 });
      const again = { scope, began: at + minuteMs, at: at + 2 * minuteMs, retryAfterMs: null };
      await settle(reserved, again.at, { circuits: [{ closes: [], fault: again }] });
      expect(await look(again.at + 1_000)).toBe(1);
      expect(await look(start + 17 * minuteMs)).toBe(0);
      expect((await alertsOf(who)).map(({ kind, subject }) => [kind, subject]).toSorted()).toEqual([
        ["circuit_open", scope],
        ["credential_failing", broken.id],
        ["seals_stopped", tenantId],
        ["server_failing", away.id],
      ]);
      const unreachable = { lastCheck: { at: start, ok: false, detail: "No answer." } };
      for (const policy of [{}, { disabled: true }])
        value(
          await world.stores.servers.create(
            server(tenantId, { slug: id("server"), learned: unreachable, policy }),
            event(tenantId),
          ),
        );
      expect(value(await world.stores.alerts.attention(tenantId, start))).toEqual({
        failingCredentials: 1,
        failingServers: 2,
        recentAlerts: 2,
      });
      const twoDaysOn = await world.stores.alerts.attention(tenantId, start + 2 * dayMs);
      expect(value(twoDaysOn).recentAlerts).toBe(0);
      expect(await messagesOf(who)).toHaveLength(4);
      expect(await look(midnight)).toBe(3);
      value(await world.stores.alerts.prune(midnight + keptAlertsMs));
      expect(await alertsOf(who)).toHaveLength(3);
    });
  });
};
