/** Fetches, validates, and stores the catalogue. An invalid file leaves the old one in place. */
import type { AsyncResult } from "../../domain/refusals.ts";
import {
  syncCatalogue,
  type CatalogueChanges,
  type SyncRefusal,
} from "../../domain/models/catalogue-sync.ts";
import { clockSlackMs } from "../../domain/clocks.ts";
import type { AdminEvent } from "../../domain/admin-event.ts";
import type { Catalogue } from "../../domain/models/model.ts";
import type { CatalogueSource, CatalogueStore } from "../../domain/ports/catalogues.ts";
import { ok } from "../../domain/result.ts";

const hourMs = 3_600_000;
const everyMs = 24 * hourMs;
const afterFaultMs = hourMs;
/** Longer than a sync takes. */
const leaseMs = 10 * 60_000;

export type SyncOutcome =
  | { state: "synced"; version: string; changes: CatalogueChanges }
  | { state: "unchanged"; version: string }
  | { state: "refused"; fault: string };

function sentenceOf(refusal: SyncRefusal): string {
  switch (refusal.reason) {
    case "shrunken":
      return `shrunken: ${refusal.found} of ${refusal.known} models of ${refusal.provider}`;
    case "absurd_price":
      return `absurd prices: ${refusal.models.slice(0, 5).join(", ")}`;
  }
}

export interface CatalogueSyncDeps {
  catalogues: CatalogueStore;
  source: CatalogueSource;
  seed: Catalogue;
  versionOf: (models: Catalogue["models"], now: number) => Promise<string>;
  now: () => number;
}

export async function syncNow(
  deps: CatalogueSyncDeps,
  eventFor: (outcome: SyncOutcome) => AdminEvent | null = () => null,
): AsyncResult<SyncOutcome> {
  const { catalogues, source, seed, versionOf, now } = deps;
  const stored = await catalogues.newerThan(seed.version);
  if (!stored.ok) return stored;
  const current = stored.value ?? seed;
  const refuse = async (fault: string): AsyncResult<SyncOutcome> => {
    const outcome = { state: "refused", fault } as const;
    const event = eventFor(outcome);
    const noted = await catalogues.postpone({ dueAt: now() + afterFaultMs, fault, event });
    return noted.ok ? ok(outcome) : noted;
  };
  const entries = await source.entries();
  if (!entries.ok) return refuse(entries.error);
  const synced = syncCatalogue({ seed, current, entries: entries.value });
  if (!synced.ok) return refuse(sentenceOf(synced.error));
  const { models, changes } = synced.value;
  const at = now();
  const version = await versionOf(models, at);
  // Versions start with the date; unchanged models keep their version.
  const isSame = version.split(".")[1] === current.version.split(".")[1];
  const outcome: SyncOutcome = isSame
    ? { state: "unchanged", version: current.version }
    : { state: "synced", version, changes };
  const dueAt = at + everyMs;
  const event = eventFor(outcome);
  const written = isSame
    ? await catalogues.postpone({ dueAt, fault: null, event })
    : await catalogues.replace({ version, models }, { now: at, dueAt, event });
  return written.ok ? ok(outcome) : written;
}

/** Daily, and after a deployment with another bundled catalogue. */
export const createCatalogueJob =
  (deps: CatalogueSyncDeps & { report: (fault: string) => void }) =>
  async (): AsyncResult<number> => {
    const { catalogues, seed, now, report } = deps;
    const at = now();
    const lease = await catalogues.claim(at, {
      until: at + leaseMs,
      // A later time was written before a clock was set back.
      latestDue: at + everyMs + clockSlackMs,
      seedVersion: seed.version,
    });
    if (!lease.ok) return lease;
    if (!lease.value) return ok(0);
    const before = await catalogues.state();
    if (!before.ok) return before;
    const outcome = await syncNow(deps);
    if (!outcome.ok) return outcome;
    const { value: done } = outcome;
    // Without internet access it retries hourly and logs the fault once.
    if (done.state === "refused" && done.fault !== before.value?.fault) report(done.fault);
    return ok(done.state === "synced" ? 1 : 0);
  };
