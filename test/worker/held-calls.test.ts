/** Held calls in a tenant's object: the object wakes when their time is over, though nobody writes to it. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { reservation } from "../contract/store/fixtures.ts";
import { value } from "../contract/store/open.ts";
import { givenTenant, stubOf, type GivenTenant } from "./given-tenant.ts";

const alarm = (given: GivenTenant) => runDurableObjectAlarm(stubOf(given));
const nextAlarm = (given: GivenTenant) =>
  runInDurableObject(stubOf(given), (_, { storage }) => storage.getAlarm());

async function hold({ stores, who }: GivenTenant, deadline: number) {
  const held = reservation(who, Date.now(), {
    leaseUntil: null,
    limitChecks: [],
    approval: {
      stage: "request",
      deadline,
      onTimeout: "deny",
      conditions: [],
      contentHash: "ab".repeat(32),
      parts: ["v1.shown"],
    },
  });
  expect(value(await stores.ledger.admit(held)).state).toBe("admitted");
  return { tenantId: who.tenantId, requestId: held.opening.id };
}

it("wakes the object when the time to decide is over, and ends the call without a charge", async () => {
  const given = await givenTenant();
  const { approvals, requests } = given.stores;
  const deadline = Date.now() + 1_800_000;
  const waits = await hold(given, deadline);
  // The first runs find work of their own.
  for (let runs = 0; runs < 4; runs += 1) await alarm(given);
  expect(await nextAlarm(given)).toBe(deadline);
  expect(value(await approvals.find(waits))?.approval.state).toBe("waiting");
  const late = await hold(given, Date.now() - 1);
  await alarm(given);
  expect(value(await approvals.find(late))).toMatchObject({
    outcome: "failed",
    approval: { state: "expired", decidedBy: "timeout", isOpen: false },
  });
  const record = value(await requests.get(late.tenantId, late.requestId));
  expect(record).toMatchObject({ reason: "user_rejected", costMicroUsd: 0 });
});
