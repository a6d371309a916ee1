/** Scheduled jobs, by default once a minute. Each is idempotent and can be interrupted. */
import type { OauthEntryStore } from "../../domain/ports/oauth-entries.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import type { IdempotencyStore, Ledger, ThinningStore } from "../../domain/ports/ledger.ts";
import type { HealthStore, RequestStore, SessionStore } from "../../domain/ports/stores.ts";
import type { ConsoleSessionStore } from "../../domain/ports/console-sessions.ts";
import type { CancellationStore } from "../../domain/ports/cancellations.ts";
import type { QuestionStore } from "../../domain/ports/questions.ts";
import type { LatencyStore } from "../../domain/ports/latencies.ts";
import type { AuthorizationStore } from "../../domain/ports/server-stores.ts";
import type { ApprovalStore } from "../../domain/ports/approvals.ts";
import type { AlertStore } from "../../domain/ports/alerts.ts";
import type { NameStore } from "../../domain/ports/names.ts";
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
  changed: number | null;
  behind?: true;
}

const sliceMs = 250;
/** ms; longer slices were waiting rather than computing */
const longestRestMs = 2_000;
/** ms after which no further slice starts. A host ends a run after 60 s. */
const runMs = 40_000;

export interface RunDeps {
  elapsed: () => number;
  wait: (ms: number) => Promise<void>;
  maxRounds: {
    /** per slice: a Worker's clock doesn't advance during computation */
    slice: number;
    /** per run, for jobs on their own database */
    run: number;
    /** per run, for jobs that send requests: a Worker may send 1,000 per invocation */
    asking: number;
  };
}

const asking = new Set(["deliver", "resealTenants", "webhooks", "witness", "sink", "catalogue"]);

interface Running {
  job: string;
  run: () => AsyncResult<number>;
  changed: number | null;
  rounds: number;
  maxRounds: number;
  usedMs: number;
  isDue: boolean;
}

/** Each job once, then the job with the least time used. Pauses as long as a slice took, for requests. */
const createRun = (
  { elapsed, wait, maxRounds }: RunDeps,
  jobs: Readonly<Record<string, () => AsyncResult<number>>>,
) => {
  const work = async (its: Running): Promise<void> => {
    const begun = elapsed();
    const tookMs = (): number => elapsed() - begun;
    const endOfSlice = Math.min(its.rounds + maxRounds.slice, its.maxRounds);
    do {
      const done = await its.run();
      its.rounds += 1;
      its.changed = done.ok ? (its.changed ?? 0) + done.value : null;
      its.isDue = done.ok && done.value > 0;
    } while (its.isDue && its.rounds < endOfSlice && tookMs() < sliceMs);
    if (its.isDue) {
      // A Worker's clock advances with I/O, such as a timer.
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
      maxRounds: asking.has(job) ? maxRounds.asking : maxRounds.run,
      usedMs: 0,
      isDue: true,
    }));
    for (const its of all) await work(its);
    while (elapsed() - begun < runMs) {
      const due = all.filter((each) => each.isDue && each.rounds < each.maxRounds);
      if (due.length === 0) break;
      await work(due.reduce((lowest, each) => (each.usedMs < lowest.usedMs ? each : lowest)));
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
      questions: Pick<QuestionStore, "prune">;
      health: HealthStore;
      sessions: SessionStore;
      consoleSessions: ConsoleSessionStore;
      oauthEntries: Pick<OauthEntryStore, "prune">;
      requests: RequestStore;
      authorizations: AuthorizationStore;
      approvals: ApprovalStore;
      endHeld: EndHeld;
      alerts: AlertStore;
      names: NameStore;
      publicUrl: string | null;
      webhooks: Pick<WebhookStore, "prune">;
      sendWebhooksOnce: SendWebhooks;
      reseal: () => AsyncResult<number>;
      resealTenants: () => AsyncResult<number>;
      sinkJob: () => AsyncResult<number>;
      sendToWitness: WitnessDeps["sendToWitness"];
      syncCatalogue: (() => AsyncResult<number>) | null;
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
    // Before retention, which skips unsealed records.
    seal: createSealJob(deps),
    // After sealing, which assigns positions, and before retention.
    latencies: createLatencyJob(deps),
    // After sealing, before counters are pruned.
    alerts: createAlertJob(deps),
    pruneCounters: () => ledger.prune(now()),
    pruneIdempotency: () => idempotency.prune(now()),
    pruneCancellations: () => cancellations.prune(now()),
    pruneQuestions: () => deps.questions.prune(now()),
    pruneHealth: () => health.prune(now()),
    pruneSessions: () => sessions.prune(now()),
    pruneConsoleSessions: () => deps.consoleSessions.prune(now()),
    pruneOauthEntries: () => deps.oauthEntries.prune(now()),
    pruneRequests: createRetentionJob(deps),
    pruneAuthorizations: () => deps.authorizations.prune(now()),
    // After everything else that makes room.
    room: createRoomJob(deps),
    // After all jobs that write events and usage.
    deliver,
    reseal,
    resealTenants: deps.resealTenants,
    pruneAlerts: () => deps.alerts.prune(now()),
    pruneWebhooks: () => deps.webhooks.prune(now()),
    // Last: these wait for other servers.
    webhooks: deps.sendWebhooksOnce,
    witness: createWitnessJob(deps),
    sink: deps.sinkJob,
    ...(syncCatalogue !== null && { catalogue: syncCatalogue }),
  });
}

export type Jobs = ReturnType<typeof createRun>;
