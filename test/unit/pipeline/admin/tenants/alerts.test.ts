/** A test alert goes to the given or the saved address, and returns what the receiver said. */
import { expect, it } from "vitest";
import type { Policy } from "../../../../../src/domain/choice/policy.ts";
import type { AlertDelivery, StoredAlert } from "../../../../../src/domain/ports/alerts.ts";
import type { TenantStore } from "../../../../../src/domain/ports/stores.ts";
import { ok } from "../../../../../src/domain/result.ts";
import { createAlertAdmin } from "../../../../../src/pipeline/admin/tenants/alerts.ts";
import { callerWith } from "../../callers/callers.fixture.ts";

const dayMs = 86_400_000;
const now = 30 * dayMs;
const whose = { tenantId: "ten_1", id: "alt_1", kind: "seals_stopped", subject: "ten_1" } as const;
const noBudget = { name: null, threshold: null, limit: null, used: null };
const stored = (at: number, deliveries: AlertDelivery[] = []): StoredAlert => ({
  ...whose,
  ...noBudget,
  at,
  periodFrom: at,
  periodUntil: null,
  deliveries,
});

function given(policy: Policy = {}, data: StoredAlert[] = []) {
  const sent: { url: string; body: string }[] = [];
  const { tenant } = callerWith().snapshot;
  const alerts = createAlertAdmin({
    tenants: { bySlug: async () => ok({ ...tenant, policy }) } as unknown as TenantStore,
    ids: { next: () => "alert_1" },
    now: () => now,
    alerts: { list: async () => ok({ data, nextCursor: null }) },
    names: { of: async () => ok({}) },
    allowPrivateUpstreams: false,
    ownOrigins: [],
    publicUrl: "https://router.test",
    sendOnce: async (message) => {
      sent.push(message);
      return ok({ status: 404, fault: "no_service", answer: "no such channel" });
    },
  });
  return {
    sent,
    list: () => alerts.list({ kind: "operator" }, "acme", { cursor: null, limit: 1 }),
    test: (asked: Parameters<typeof alerts.test>[2]) =>
      alerts.test({ kind: "operator" }, "acme", asked),
  };
}

it("lists its deliveries without the secrets in their URLs, while they are known", async () => {
  const its = { id: "msg_alt_1", status: 404, fault: "No.", endedAt: 7 } as const;
  const url = "https://hooks.test/services/secret";
  const delivery = { ...its, url, state: "failed" } as const;
  const alerts = [stored(now - 1), stored(1, [delivery]), stored(now - 7 * dayMs)];
  expect(await given({}, alerts).list()).toMatchObject({
    value: {
      data: [
        { deliveries: [] },
        { deliveries: [{ ...its, origin: "https://hooks.test", state: "failed" }] },
        { deliveries: null },
      ],
    },
  });
  expect(JSON.stringify(await given({}, alerts).list())).not.toContain("secret");
});

it("is sent to the given address in its format, with a link to the console", async () => {
  const { sent, test } = given();
  const answer = await test({ webhookUrl: "https://hooks.slack.test/x", format: "slack" });
  const value = { status: 404, fault: "no_service", answer: "no such channel" };
  expect(answer).toMatchObject({ value });
  expect(sent).toMatchObject([{ url: "https://hooks.slack.test/x" }]);
  expect(sent[0]?.body).toContain("https://router.test/console/t/acme/limits|View in console");
});

it("is sent as the policy's receiver with this address expects, and to no private address", async () => {
  const discord = { webhookUrl: "https://hooks.test/y", format: "discord" } as const;
  const other = { webhookUrl: "https://hooks.test/z", format: "slack" } as const;
  const saved = given({ alerts: { receivers: [other, discord] } });
  await saved.test({ webhookUrl: discord.webhookUrl });
  expect(saved.sent).toMatchObject([{ url: discord.webhookUrl }]);
  expect(saved.sent[0]?.body).toContain('"content"');
  const { sent, test } = given();
  expect(await test({ webhookUrl: "http://127.0.0.1/" })).toMatchObject({
    error: { path: "webhookUrl" },
  });
  expect(sent).toEqual([]);
});
