/** A Durable Object: serves its database by RPC and runs its jobs by an alarm. */
import type { DurableObjectState } from "@cloudflare/workers-types";
import type { Room } from "../domain/limits/room.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import { mapped, ok } from "../domain/result.ts";
import { homeDatabase } from "../domain/tenancy/database-names.ts";
import { createRequestFeeds } from "../pipeline/request-feeds.ts";
import type { JobReport } from "../pipeline/scheduled/jobs.ts";
import type { LedgerTexts } from "../store/engines/memory-ledger/texts.ts";
import type { Statement } from "../store/engines/contract/sql.ts";
import { linesOf } from "../store/engines/durable/feed-lines.ts";
import { createGroups } from "../store/engines/durable/groups.ts";
import { createObjectAlarm } from "../store/engines/durable/object-alarm.ts";
import { createObjectDatabase } from "../store/engines/durable/object-database.ts";
import type { Engine, Job, Outcome } from "../store/engines/contract/engine.ts";
import type { Migration } from "../store/migrations.ts";
import { openOverEngine } from "../store/over-engine.ts";
import { createRequestFeedStore } from "../store/records/request-feed.ts";
import { createComposition } from "./composition.ts";
import { clock, now, type Isolate } from "./isolate.ts";

export interface TenantObject {
  write(job: Job): Promise<Outcome>;
  read(statements: readonly Statement[]): Outcome;
  room(): Room;
  /** Records as lines of `feed-lines.ts`, polled once for all listeners. */
  follow(
    tenantId: string,
    since: number | null,
  ): AsyncResult<ReadableStream<Uint8Array<ArrayBuffer>>>;
  alarm(isolate: Isolate): Promise<JobReport[]>;
}

interface Deps {
  ctx: Pick<DurableObjectState, "storage" | "waitUntil">;
  texts: LedgerTexts;
  migrations: readonly Migration[];
  databaseKind: "home" | "a tenant";
  limitBytes: number;
}

/** Over the object's own storage; other databases are reached by RPC. */
function runJobs(
  isolate: Isolate,
  {
    name,
    engine,
    room,
    waitUntil,
  }: {
    name: string;
    engine: Engine;
    room: () => Room;
    waitUntil: (work: Promise<unknown>) => void;
  },
): Promise<JobReport[]> {
  const { host } = isolate;
  const { openTenantDatabase } = host;
  if (openTenantDatabase === undefined) return Promise.resolve([]);
  const { jobPace } = isolate;
  const here: Isolate = {
    ...isolate,
    // Its own storage needs no requests.
    jobPace: { ...jobPace, maxRounds: { ...jobPace.maxRounds, run: Infinity } },
    host: {
      ...host,
      openTenantDatabase: (wanted, options) =>
        wanted === name ? openOverEngine(engine, options) : openTenantDatabase(wanted, options),
      roomOf: (wanted) => (wanted === name ? async () => ok(room()) : null),
    },
  };
  const composition = createComposition(here, { background: waitUntil, upkeep: waitUntil });
  return composition.jobsOf(name);
}

export function createTenantObject({ ctx, ...deps }: Deps): TenantObject {
  const { storage } = ctx;
  const { databaseKind } = deps;
  const database = createObjectDatabase({ storage, ...deps });
  const alarm = createObjectAlarm(storage, now);
  const inGroup = createGroups(() => storage.sync());
  const engine: Engine = {
    write: async (job) => database.write(job),
    read: async (statements) => database.read(statements),
  };
  const feeds = createRequestFeeds({
    requestFeed: createRequestFeedStore(openOverEngine(engine)),
    ...clock,
  });
  /** Cron runs `home`'s jobs. */
  const hasAlarm = databaseKind !== "home";
  return {
    async write(job) {
      if (hasAlarm) await alarm.look();
      return inGroup(() => {
        const outcome = database.write(job);
        if (hasAlarm && database.hasTables()) alarm.written();
        return outcome;
      });
    },
    read: database.read,
    room: database.room,
    follow: (tenantId, since) => mapped(feeds.listen(tenantId, since), linesOf),
    async alarm(isolate) {
      alarm.come();
      const name = database.tenantDatabase();
      let reports: JobReport[] = [];
      try {
        if (name !== null && name !== homeDatabase)
          reports = await runJobs(isolate, {
            name,
            engine,
            room: database.room,
            waitUntil: (work) => ctx.waitUntil(work),
          });
      } finally {
        await afterwards(isolate, reports);
      }
      return reports;
    },
  };

  /** Deletes unneeded storage, or schedules the next alarm. */
  async function afterwards(
    { config, vaultKeys }: Isolate,
    reports: readonly JobReport[],
  ): Promise<void> {
    if (!database.isKept()) {
      // Also deletes the alarm.
      await storage.deleteAll();
      await storage.deleteAlarm();
      return database.forget();
    }
    if (reports.some(({ behind }) => behind)) return alarm.again();
    const isToBeResealed =
      config.previousMasterKey !== null && !database.isSealedBy(vaultKeys.current.id);
    const isUnfinished = isToBeResealed || reports.some(({ changed }) => changed !== 0);
    const due = isUnfinished ? now() : database.nextDue();
    if (due !== null) alarm.due(due);
  }
}
