/** The ports of the synced catalogue: where it comes from, and where it is kept. */
import type { AdminEvent } from "../admin-event.ts";
import type { CatalogueEntry } from "../models/catalogue-sync.ts";
import type { Catalogue } from "../models/model.ts";
import type { Refusal } from "../refusals.ts";
import type { Result } from "../result.ts";

type Stored<T> = Promise<Result<T, Refusal>>;

export interface CatalogueState {
  /** null: never synced */
  version: string | null;
  syncedAt: number | null;
  dueAt: number;
  /** why the last sync was refused; null: it was not */
  fault: string | null;
}

interface Noted {
  /** for the log, when a person asked for the sync */
  event?: AdminEvent | null;
}

/** The store of the synced catalogue, which all tenants share. */
export interface CatalogueStore {
  /** null: that version is the newest, or there is no synced catalogue. */
  newerThan(version: string): Stored<Catalogue | null>;
  state(): Stored<CatalogueState | null>;
  /**
   * True for one of all callers, if a sync is due or the seed has changed since the last sync. A sync that is
   * cut off is due again at `until`.
   */
  claim(
    now: number,
    turn: { until: number; latestDue: number; seedVersion: string },
  ): Stored<boolean>;
  replace(catalogue: Catalogue, at: { now: number; dueAt: number } & Noted): Stored<null>;
  /** The catalogue at hand stays. */
  postpone(at: { dueAt: number; fault: string | null } & Noted): Stored<null>;
}

/** Where catalogues come from. The error says what is wrong with what came. */
export interface CatalogueSource {
  entries(): Promise<Result<CatalogueEntry[], string>>;
}
