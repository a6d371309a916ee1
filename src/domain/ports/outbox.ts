/** `home` keeps copies for the operator's lists. Deliveries may be repeated, late or out of order. */
import type { AdminEvent } from "../admin-event.ts";
import type { StoredAuditKey } from "../audit/seals.ts";
import type { AsyncResult } from "../refusals.ts";
import type { UsageFigures } from "./ledger.ts";

/** Replaces previous usage. */
export interface HourlyUsage extends UsageFigures {
  tenantId: string;
  hour: number;
  model: string;
}

export interface TenantHour {
  tenantId: string;
  hour: number;
}

/** Replaces previous latencies. */
export interface DeliveredLatency {
  tenantId: string;
  /** s, an hour or a day */
  width: number;
  at: number;
  model: string;
  /** format of `domain/latencies.ts` */
  histogram: string;
}

export interface Delivery {
  /** increases with each started delivery, including retries */
  version: number;
  events: AdminEvent[];
  tenants: { id: string; name: string; createdAt: number }[];
  deleted: string[];
  /** Complete per hour: an unlisted model was not used. */
  hours: TenantHour[];
  usage: HourlyUsage[];
  latencies: DeliveredLatency[];
  auditKeys: StoredAuditKey[];
  /** s since the epoch, start of the scanned changes; null: none */
  since: number | null;
}

export interface OutboxStore {
  begin(now: number): AsyncResult<Delivery | null>;
  end(delivery: Delivery): AsyncResult<null>;
  /** Makes the next version higher, because this database is older than `home` knows. */
  raise(version: number): AsyncResult<null>;
}

export interface DeliveryStore {
  /** Idempotent. Returns the last entered version, which may be higher. */
  enter(
    from: { database: string; now: number },
    delivery: Delivery,
  ): AsyncResult<{ entered: boolean; version: number }>;
}
