/** The port of alerts: what crossed a line or stopped working, and who was told. */
import type { Alert, AlertKind, BudgetLine } from "../alerts.ts";
import type { AdminEvent } from "../admin-event.ts";
import type { CalendarOf } from "../calendar.ts";
import type { Circuit } from "../choice/circuits.ts";
import type { AsyncResult } from "../refusals.ts";
import type { Page, PageRequest } from "./pages.ts";

/** Something that does not work now. */
export interface Trouble {
  tenantId: string;
  kind: Exclude<AlertKind, "budget_crossed">;
  subject: string;
}

export interface TenantCircuit extends Pick<Circuit, "scope" | "faults" | "probeUntil"> {
  tenantId: string;
}

export interface AlertStore {
  /** Budgets beyond a share that nobody was told of in this period, some at a time. */
  crossed(now: number, calendarOf: CalendarOf): AsyncResult<BudgetLine[]>;
  /** Credentials and servers that fail, and tenants whose records wait for their seal for too long. */
  troubles(now: number): AsyncResult<Trouble[]>;
  /** Circuits that had a fault of late. */
  circuits(now: number): AsyncResult<TenantCircuit[]>;
  /**
   * Writes the alert, its event, and a message to the webhook that the tenant's policy names: all of it, once a
   * period. True if nobody had written the alert before.
   */
  raise(alert: Alert, event: AdminEvent): AsyncResult<boolean>;
  /** Newest first. */
  list(tenantId: string, page: PageRequest): AsyncResult<Page<Alert>>;
  prune(now: number): AsyncResult<number>;
}
