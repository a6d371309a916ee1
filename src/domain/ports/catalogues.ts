import type { AdminEvent } from "../admin-event.ts";
import type { CatalogueEntry } from "../models/catalogue-sync.ts";
import type { Catalogue } from "../models/model.ts";
import type { AsyncResult } from "../refusals.ts";
import type { Result } from "../result.ts";

export interface CatalogueState {
  version: string | null;
  syncedAt: number | null;
  dueAt: number;
  fault: string | null;
}

interface Noted {
  /** set for a manual sync */
  event?: AdminEvent | null;
}

export interface CatalogueStore {
  newerThan(version: string): AsyncResult<Catalogue | null>;
  state(): AsyncResult<CatalogueState | null>;
  /** Acquires a due sync, or one after a change of the seed. An interrupted sync is due again at `until`. */
  claim(
    now: number,
    turn: { until: number; latestDue: number; seedVersion: string },
  ): AsyncResult<boolean>;
  replace(catalogue: Catalogue, at: { now: number; dueAt: number } & Noted): AsyncResult<null>;
  postpone(at: { dueAt: number; fault: string | null } & Noted): AsyncResult<null>;
}

/** The error describes invalid content. */
export interface CatalogueSource {
  entries(): Promise<Result<CatalogueEntry[], string>>;
}
