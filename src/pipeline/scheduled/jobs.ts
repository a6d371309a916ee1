/** The jobs of every minute. Each job may run twice, and may be cut off. */
import type { OauthEntryStore } from "../../domain/ports/oauth-entries.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import type { IdempotencyStore, Ledger, ThinningStore } from "../../domain/ports/ledger.ts";
import type { HealthStore, RequestStore, SessionStore } from "../../domain/ports/stores.ts";
import type { ConsoleSessionStore } from "../../domain/ports/console-sessions.ts";
import type { CancellationStore } from "../../domain/ports/cancellations.ts";
import type { LatencyStore } from "../../domain/ports/latencies.ts";
import type { AuthorizationStore } from "../../domain/ports/server-stores.ts";
import type { ApprovalStore } from "../../domain/ports/approvals.ts";
import type { AlertStore } from "../../domain/ports/alerts.ts";
import type { WebhookStore } from "../../domain/ports/webhooks.ts";
import type { EndHeld } from "../approvals/end.ts";
import { createAlertJob } from "./alerts.ts";
import { createApprovalJob } from "./approvals.ts";
import { createAuditKeyJob } from "./audit/audit-keys.ts";
import { createRetentionJob } from "./audit/deletions.ts";
import { createLatencyJob } from "./latencies.ts";
import { createSealJob, type SealDeps } from "./audit/seal.ts";
import { createRoomJob, type RoomDeps } from "./room.ts";
import { createThinningJob } from "./thinning.ts";
import type { SendWebhooks } from "./webhooks.ts";
import { createWitnessJob, type WitnessDeps } from "./audit/witness.ts";

export interface JobReport {
  job: string;
  /** rows that changed; null: the database was out of reach */
  changed: number | null;
  /** the job's share of the run was used up, and more is due */
  behind?: true;
}

/** ms; a job with more to do gives the other jobs their turn after so long */
const sliceMs = 250;
/** ms; a slice that took longer waited for others, and not for the thread */
const longestRestMs = 2_000;
/** ms after which a run begins no further slice. A host ends a run after 60 s. */
const runMs = 40_000;

export interface RunDeps {
  /** ms that never go back */
  elapsed: () => number;
  wait: (ms: number) => Promise<void>;
  mostRounds: {
    /** in one slice: no time passes on a Worker's clock while it works */
    slice: number;
    /** in one run, of a job that asks its own database alone */
    run: number;
    /** in one run, of a job that asks others: a Worker may send 1,000 requests in one invocation */
    asking: number;
  };
}

/** Jobs that ask other databases or other people's servers. */
const asking = new Set(["deliver", "resealTenants", "webhooks", "witness", "sink", "catalogue"]);

/** A job in one run. */
interface Running {
  job: string;
  run: () => AsyncResult<number>;
  changed: number | null;
  rounds: number;
  mostRounds: number;
  usedMs: number;
  isDue: boolean;
}

/**
 * One run of the jobs: they work in slices until nothing is due, or until the run's time is used. First each has a slice, in their
 * order; then the one that has used least goes next, so a job that waits for other people's servers holds up no other. After a slice
 * that leaves work, the run rests for as long as the slice took, so callers have at least half of the thread.
 */
const createRun = (
  { elapsed, wait, mostRounds }: RunDeps,
  jobs: Readonly<Record<string, () => AsyncResult<number>>>,
) => {
  const work = async (its: Running): Promise<void> => {
    const begun = elapsed();
    const tookMs = (): number => elapsed() - begun;
    const endOfSlice = Math.min(its.rounds + mostRounds.slice, its.mostRounds);
    do {
      const done = await its.run();
      its.rounds += 1;
      its.changed = done.ok ? (its.changed ?? 0) + done.value : null;
      its.isDue = done.ok && done.value > 0;
    } while (its.isDue && its.rounds < endOfSlice && tookMs() < sliceMs);
    if (its.isDue) {
      // A Worker's clock goes on with what came from outside, such as a timer's end.
      await wait(0);
      await wait(Math.min(longestRestMs, tookMs()));
    }
    its.usedMs += tookMs();
  };
  return async (): Promise<JobReport[]> => {
    const begun = elapsed();
    const all = Object.entries(jobs).map(([job, run]): Running => ({
      job,
      run,
      changed: 0,
      rounds: 0,
      mostRounds: asking.has(job) ? mostRounds.asking : mostRounds.run,
      usedMs: 0,
      isDue: true,
    }));
    for (const its of all) await work(its);
    while (elapsed() - begun < runMs) {
      const due = all.filter((each) => each.isDue && each.rounds < each.mostRounds);
      if (due.length === 0) break;
      await work(due.reduce((least, each) => (each.usedMs < least.usedMs ? each : least)));
    }
    return all.map(({ job, changed, isDue }) => ({
      job,
      changed,
      ...(isDue && { behind: true as const }),
    }));
  };
};

export function createJobs(
  deps: SealDeps &
    RoomDeps &
    RunDeps & {
      ledger: Ledger;
      latencies: LatencyStore;
      thinning: ThinningStore;
      idempotency: IdempotencyStore;
      cancellations: CancellationStore;
      health: HealthStore;
      sessions: SessionStore;
      consoleSessions: ConsoleSessionStore;
      oauthEntries: Pick<OauthEntryStore, "prune">;
      requests: RequestStore;
      authorizations: AuthorizationStore;
      approvals: ApprovalStore;
      endHeld: EndHeld;
      alerts: AlertStore;
      webhooks: Pick<WebhookStore, "prune">;
      sendWebhooksOnce: SendWebhooks;
      /** Seals everything anew that is not under the current master key and version. */
      reseal: () => AsyncResult<number>;
      /** Sees to it that databases which sleep do the same. */
      resealTenants: () => AsyncResult<number>;
      /** Sends sealed chains to the audit sink. */
      sinkJob: () => AsyncResult<number>;
      sendToWitness: WitnessDeps["sendToWitness"];
      /** null: this deployment syncs no catalogue */
      syncCatalogue: (() => AsyncResult<number>) | null;
      /** Delivers what `home` lacks. */
      deliver: () => AsyncResult<number>;
    },
) {
  const {
    ledger,
    idempotency,
    cancellations,
    health,
    sessions,
    reseal,
    syncCatalogue,
    deliver,
    now,
  } = deps;
  return createRun(deps, {
    sweep: () => ledger.sweep(now()),
    approvals: createApprovalJob(deps),
    thinRefusals: createThinningJob(deps),
    auditKeys: createAuditKeyJob(deps),
    // Before retention, which spares records that are not sealed.
    seal: createSealJob(deps),
    // After sealing, which gives records the places by which they are counted, and before retention.
    latencies: createLatencyJob(deps),
    // After sealing, and before counters go.
    alerts: createAlertJob(deps),
    pruneCounters: () => ledger.prune(now()),
    pruneIdempotency: () => idempotency.prune(now()),
    pruneCancellations: () => cancellations.prune(now()),
    pruneHealth: () => health.prune(now()),
    pruneSessions: () => sessions.prune(now()),
    pruneConsoleSessions: () => deps.consoleSessions.prune(now()),
    pruneOauthEntries: () => deps.oauthEntries.prune(now()),
    pruneRequests: createRetentionJob(deps),
    pruneAuthorizations: () => deps.authorizations.prune(now()),
    // After all that makes room by itself.
    room: createRoomJob(deps),
    // After all that writes events and usage.
    deliver,
    reseal,
    resealTenants: deps.resealTenants,
    pruneAlerts: () => deps.alerts.prune(now()),
    pruneWebhooks: () => deps.webhooks.prune(now()),
    // Last, since these jobs wait for other people's servers.
    webhooks: deps.sendWebhooksOnce,
    witness: createWitnessJob(deps),
    sink: deps.sinkJob,
    ...(syncCatalogue !== null && { catalogue: syncCatalogue }),
  });
}

export type Jobs = ReturnType<typeof createRun>;
