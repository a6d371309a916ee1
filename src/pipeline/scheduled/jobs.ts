/** What runs every minute. Each job is safe to run twice, and to be cut off. */
import type { IdempotencyStore, Ledger, ThinningStore } from "../../domain/ledger.ts";
import type {
  Answer,
  CancellationStore,
  HealthStore,
  CredentialStore,
  RequestStore,
  SessionStore,
  Vault,
} from "../../domain/ports.ts";
import type { AuthorizationStore, ServerStore, TokenStore } from "../../domain/server-stores.ts";
import { resealServers, resealTokens } from "./reseal-servers.ts";
import { reseal } from "./reseal.ts";
import { createSealJob, type SealDeps } from "./seal.ts";
import { createThinningJob } from "./thinning.ts";

export interface JobReport {
  job: string;
  /** rows changed; null: the database was out of reach */
  changed: number | null;
  /** where there are several */
  shard?: string;
}

/** Rounds of one job in one run: a backlog is worked off over several minutes. */
const rounds = 5;

export function createJobs(
  deps: SealDeps & {
    ledger: Ledger;
    thinning: ThinningStore;
    idempotency: IdempotencyStore;
    cancellations: CancellationStore;
    health: HealthStore;
    sessions: SessionStore;
    requests: RequestStore;
    credentials: CredentialStore;
    servers: ServerStore;
    serverTokens: TokenStore;
    authorizations: AuthorizationStore;
    vault: Vault;
    /** null: this deployment syncs no catalogue */
    syncCatalogue: (() => Answer<number>) | null;
  },
) {
  const {
    ledger,
    idempotency,
    cancellations,
    health,
    sessions,
    requests,
    credentials,
    vault,
    syncCatalogue,
    now,
  } = deps;
  const jobs = {
    sweep: () => ledger.sweep(now()),
    thinRefusals: createThinningJob(deps),
    // Before retention, which spares what is not sealed.
    seal: createSealJob(deps),
    pruneCounters: () => ledger.prune(now()),
    pruneIdempotency: () => idempotency.prune(now()),
    pruneCancellations: () => cancellations.prune(now()),
    pruneHealth: () => health.prune(now()),
    pruneSessions: () => sessions.prune(now()),
    pruneRequests: () => requests.prune(now()),
    pruneAuthorizations: () => deps.authorizations.prune(now()),
    reseal: () => reseal({ credentials, vault }),
    resealServers: () => resealServers(deps),
    resealTokens: () => resealTokens(deps),
    // Last: it waits for somebody else's server.
    ...(syncCatalogue !== null && { catalogue: syncCatalogue }),
  };
  return async (): Promise<JobReport[]> => {
    const reports: JobReport[] = [];
    for (const [job, run] of Object.entries(jobs)) {
      let changed: number | null = 0;
      for (let round = 0; round < rounds && changed !== null; round += 1) {
        const done = await run();
        changed = done.ok ? changed + done.value : null;
        if (done.ok && done.value === 0) break;
      }
      reports.push({ job, changed });
    }
    return reports;
  };
}

export type Jobs = ReturnType<typeof createJobs>;

/** The jobs of every shard, side by side: one that is out of reach delays and stops no other. */
export const createShardedJobs =
  (shards: readonly { name: string; run: Jobs }[]): Jobs =>
  async () => {
    const [only] = shards;
    if (only !== undefined && shards.length === 1) return only.run();
    const ended = await Promise.allSettled(
      shards.map(async ({ name, run }) =>
        (await run()).map((report) => ({ ...report, shard: name })),
      ),
    );
    return ended.flatMap((end) => {
      // A throw is a bug and none of the database's refusals; it waited for the other shards.
      if (end.status === "rejected") throw end.reason;
      return end.value;
    });
  };
