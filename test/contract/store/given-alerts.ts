/** What the suites of alerts share: the job, calls that cost something, and what was told. */
import { createAlertJob } from "../../../src/pipeline/scheduled/alerts.ts";
import { id, start, type Caller, type ReservationFields } from "./fixtures.ts";
import { givenLedger } from "./given-ledger.ts";
import { value, type Backend } from "./open.ts";

const page = { cursor: null, limit: 50 };
export const minuteMs = 60_000;

export function givenAlerts(backend: Backend) {
  const given = givenLedger(backend);
  const { world, running, settle } = given;

  const look = async (now = start, stores = world.stores) =>
    value(
      await createAlertJob({
        ...stores,
        ids: { next: id },
        now: () => now,
        publicUrl: "https://router.test",
      })(),
    );
  const alertsOf = async ({ tenantId }: Caller) =>
    value(await world.stores.alerts.list(tenantId, page)).data.toReversed();
  const messagesOf = async ({ tenantId }: Caller) =>
    value(await world.stores.webhooks.list(tenantId, page)).data;
  const eventsOf = async ({ tenantId }: Caller) =>
    value(await world.stores.events.list(tenantId, page)).data.filter(
      ({ action }) => action === "alert.raised",
    );
  /** A call that came to so many micro-USD. */
  const spend = async (
    who: Caller,
    amount: number,
    { now = start, ...fields }: ReservationFields & { now?: number } = {},
  ) =>
    settle(await running(who, now, { microUsd: amount, ...fields }), now, {
      costMicroUsd: amount,
      chargedMicroUsd: amount,
    });

  return { ...given, look, alertsOf, messagesOf, eventsOf, spend };
}
