/** How one database delivers to the home shard. */
import type { DeliveryStore } from "../domain/ports/outbox.ts";
import type { Stores } from "../domain/ports/stores.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import { ok } from "../domain/result.ts";
import { homeShard } from "../domain/tenancy/shards.ts";
import { createDeliveryJob } from "../pipeline/scheduled/deliver.ts";
import { now } from "./isolate.ts";

/** The home shard delivers nothing. Its stores are opened when there is something to deliver to them. */
export const createShardDelivery = ({
  name,
  stores,
  everywhere,
}: {
  name: string;
  stores: Pick<Stores, "outbox">;
  /** `deliveries`: the home shard's */
  everywhere: { deliveries: () => DeliveryStore };
}): (() => AsyncResult<number>) =>
  name === homeShard
    ? async () => ok(0)
    : () =>
        createDeliveryJob({
          database: name,
          outbox: stores.outbox,
          deliveries: { enter: (...delivery) => everywhere.deliveries().enter(...delivery) },
          now,
        })();
