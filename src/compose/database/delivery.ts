import type { DeliveryStore } from "../../domain/ports/outbox.ts";
import type { Stores } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import { homeDatabase } from "../../domain/tenancy/database-names.ts";
import { createDeliveryJob } from "../../pipeline/scheduled/deliver.ts";
import { now } from "../isolate.ts";

/** `home` delivers nothing. Its stores are opened lazily. */
export const createDatabaseDelivery = ({
  name,
  stores,
  everywhere,
}: {
  name: string;
  stores: Pick<Stores, "outbox">;
  /** of `home` */
  everywhere: { deliveries: () => DeliveryStore };
}): (() => AsyncResult<number>) =>
  name === homeDatabase
    ? async () => ok(0)
    : () =>
        createDeliveryJob({
          database: name,
          outbox: stores.outbox,
          deliveries: { enter: (...delivery) => everywhere.deliveries().enter(...delivery) },
          now,
        })();
