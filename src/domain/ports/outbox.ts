/**
 * Ports of the outbox. A tenant's own database says what it holds; `home` gets a copy of what the
 * operator's lists need, so that those lists ask one database. A delivery may come twice, late or out of order.
 */
import type { AdminEvent } from "../admin-event.ts";
import type { StoredAuditKey } from "../audit/seals.ts";
import type { AsyncResult } from "../refusals.ts";
import type { UsageFigures } from "./ledger.ts";

/** The usage of one tenant in one hour by one model; it stands for what was there before. */
export interface HourlyUsage extends UsageFigures {
  tenantId: string;
  /** s since the epoch */
  hour: number;
  model: string;
}

export interface TenantHour {
  tenantId: string;
  hour: number;
}

/** How long a tenant's calls of one model took in an hour or a day; it stands for what was there before. */
export interface DeliveredLatency {
  tenantId: string;
  /** s: an hour's or a day's */
  width: number;
  /** s since the epoch, the beginning */
  at: number;
  model: string;
  /** as `domain/latencies.ts` writes it */
  histogram: string;
}

/** What a database has to say that `home` does not know yet. */
export interface Delivery {
  /** rises with each delivery of a database that is begun, also of one that is repeated */
  version: number;
  events: AdminEvent[];
  /** tenants that were made or renamed, as they are now */
  tenants: { id: string; name: string; createdAt: number }[];
  /** ids of tenants that were deleted */
  deleted: string[];
  /** Each hour's usage is whole: a model that is not among `usage` was not used. */
  hours: TenantHour[];
  usage: HourlyUsage[];
  latencies: DeliveredLatency[];
  auditKeys: StoredAuditKey[];
  /** s since the epoch: what is looked through for changes from then on; null: no more than now */
  since: number | null;
}

/** In each database but `home`'s. */
export interface OutboxStore {
  /** Begins a delivery; null: there is nothing to deliver. */
  begin(now: number): AsyncResult<Delivery | null>;
  /** `home` has it. What changed meanwhile stays to be delivered. */
  end(delivery: Delivery): AsyncResult<null>;
  /** The next delivery has a version above that one: this database is older than `home`'s knowledge of it. */
  raise(version: number): AsyncResult<null>;
}

/** In `home`. */
export interface DeliveryStore {
  /** Enters a delivery once. Gives the version that was entered last, which is greater where others came before. */
  enter(
    from: { database: string; now: number },
    delivery: Delivery,
  ): AsyncResult<{ entered: boolean; version: number }>;
}
