import type { Alert, AlertKind, AlertPolicy, Attention, CrossedBudget } from "../alerts.ts";
import type { AdminEvent } from "../admin-event.ts";
import type { CalendarOf } from "../calendar.ts";
import type { Circuit } from "../choice/circuits.ts";
import type { AsyncResult } from "../refusals.ts";
import type { Page, PageRequest } from "./pages.ts";
import type { WebhookMessage } from "./webhooks.ts";

export interface Trouble {
  tenantId: string;
  kind: Exclude<AlertKind, "budget_crossed">;
  subject: string;
}

export interface TenantCircuit extends Pick<Circuit, "scope" | "faults" | "probeUntil"> {
  tenantId: string;
}

export interface AlertedTenant {
  slug: string;
  name: string;
  alerts: AlertPolicy;
}

/** A message about an alert, while it is stored. */
export type AlertDelivery = Pick<
  WebhookMessage,
  "id" | "url" | "state" | "status" | "fault" | "endedAt"
>;

export type StoredAlert = Alert & { deliveries: AlertDelivery[] };

export interface AlertStore {
  /** Crossed budget thresholds that were not reported in this period, in batches. */
  crossed(now: number, calendarOf: CalendarOf): AsyncResult<CrossedBudget[]>;
  troubles(now: number): AsyncResult<Trouble[]>;
  circuits(now: number): AsyncResult<TenantCircuit[]>;
  /** The tenant's slug, name and alert policy; null: deleted. */
  tenant(tenantId: string): AsyncResult<AlertedTenant | null>;
  /** Stores the alert, its event and its webhook messages, once per period. Returns whether it was new. */
  raise(
    alert: Alert,
    event: AdminEvent,
    messages: readonly { url: string; body: string }[],
  ): AsyncResult<boolean>;
  list(tenantId: string, page: PageRequest): AsyncResult<Page<StoredAlert>>;
  attention(tenantId: string, now: number): AsyncResult<Attention>;
  prune(now: number): AsyncResult<number>;
}
