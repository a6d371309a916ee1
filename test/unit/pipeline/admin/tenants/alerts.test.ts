/** A test alert goes to the given or the saved address, and returns what the receiver said. */
import { expect, it } from "vitest";
import type { Policy } from "../../../../../src/domain/choice/policy.ts";
import type { TenantStore } from "../../../../../src/domain/ports/stores.ts";
import type { WebhookMessage } from "../../../../../src/domain/ports/webhooks.ts";
import { ok } from "../../../../../src/domain/result.ts";
import { createAlertAdmin } from "../../../../../src/pipeline/admin/tenants/alerts.ts";
import { callerWith } from "../../callers/callers.fixture.ts";

const messages = (
  [
    ["pending", 0],
    ["pending", 2],
    ["delivered", 1],
    ["failed", 9],
  ] as const
).map(([state, attempts]) => ({ state, attempts }) as WebhookMessage);

function given(policy: Policy = {}) {
  const sent: { url: string; body: string }[] = [];
  const { tenant } = callerWith().snapshot;
  const alerts = createAlertAdmin({
    tenants: { bySlug: async () => ok({ ...tenant, policy }) } as unknown as TenantStore,
    ids: { next: () => "alert_1" },
    now: () => 1_000,
    alerts: { list: async () => ok({ data: [], nextCursor: null }) },
    names: { of: async () => ok({}) },
    webhooks: { list: async () => ok({ data: messages, nextCursor: null }) },
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

it("is listed with the number of messages that were not delivered", async () => {
  expect(await given().list()).toMatchObject({ value: { undelivered: 2 } });
});

it("is sent to the given address in its format, with a link to the console", async () => {
  const { sent, test } = given();
  const answer = await test({ webhookUrl: "https://hooks.slack.test/x", format: "slack" });
  const value = { status: 404, fault: "no_service", answer: "no such channel" };
  expect(answer).toMatchObject({ value });
  expect(sent).toMatchObject([{ url: "https://hooks.slack.test/x" }]);
  expect(sent[0]?.body).toContain("https://router.test/console/t/acme/limits|View in console");
});

it("is sent to the policy's address, and to none without one or to a private one", async () => {
  const saved = given({ alerts: { webhookUrl: "https://hooks.test/y", format: "discord" } });
  await saved.test({});
  expect(saved.sent[0]?.body).toContain('"content"');
  const { sent, test } = given();
  expect(await test({})).toMatchObject({ error: { path: "webhookUrl" } });
  expect(await test({ webhookUrl: "http://127.0.0.1/" })).toMatchObject({
    error: { path: "webhookUrl" },
  });
  expect(sent).toEqual([]);
});
