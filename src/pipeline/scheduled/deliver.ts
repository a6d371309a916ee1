/** An interrupted delivery is repeated, and `home` applies it once. */
import type { DeliveryStore, OutboxStore } from "../../domain/ports/outbox.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";

export interface DeliveryDeps {
  database: string;
  outbox: OutboxStore;
  deliveries: DeliveryStore;
  now: () => number;
}

export const createDeliveryJob = (deps: DeliveryDeps) => async (): AsyncResult<number> => {
  const { database, outbox, deliveries, now } = deps;
  const begun = await outbox.begin(now());
  if (!begun.ok) return begun;
  const delivery = begun.value;
  if (delivery === null) return ok(0);
  const entered = await deliveries.enter({ database, now: now() }, delivery);
  if (!entered.ok) return entered;
  const { events, hours, latencies, auditKeys } = delivery;
  const count = events.length + hours.length + latencies.length + auditKeys.length;
  // Another run was faster, or this database was restored from a backup.
  const ended = entered.value.entered
    ? await outbox.end(delivery)
    : await outbox.raise(entered.value.version);
  return ended.ok ? ok(count) : ended;
};
