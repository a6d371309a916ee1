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
import { createAuditKeyJob } from "./audit-keys.ts";
import { createRetentionJob } from "./deletions.ts";
import { createLatencyJob } from "./latencies.ts";
import { createSealJob, type SealDeps } from "./seal.ts";
import { createRoomJob, type RoomDeps } from "./room.ts";
import { createThinningJob } from "./thinning.ts";
import type { SendWebhooks } from "./webhooks.ts";
import { createWitnessJob, type WitnessDeps } from "./witness.ts";

export interface JobReport {
  job: string;
  /** rows that changed; null: the database was out of reach */
  changed: number | null;
}

/** Rounds of one job in one run. A backlog is worked off over several minutes. */
const rounds = 5;
/** ms after which a job begins no further round, so that a job that waits for others does not hold up the next. */
const roundsMs = 5_000;

export function createJobs(
  deps: SealDeps &
    RoomDeps & {
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
      /** Delivers what the home shard lacks. */
      deliver: () => AsyncResult<number>;
      /** ms that never go back */
      elapsed: () => number;
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
    elapsed,
  } = deps;
  const jobs = {
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
  };
  return async (): Promise<JobReport[]> => {
    const reports: JobReport[] = [];
    for (const [job, run] of Object.entries(jobs)) {
      const begun = elapsed();
      let changed: number | null = 0;
      for (let round = 0; round < rounds && changed !== null; round += 1) {
        const done = await run();
        changed = done.ok ? changed + done.value : null;
        if (done.ok && done.value === 0) break;
        if (elapsed() - begun >= roundsMs) break;
      }
      reports.push({ job, changed });
    }
    return reports;
  };
}

export type Jobs = ReturnType<typeof createJobs>;
