/** One transaction with a savepoint per write, whose steps run only while the previous one succeeded. */
import { BatchCond, openHttp, type BatchStep, type RowsResult } from "@libsql/hrana-client";
import { defaultTimeoutMs, type Row, type Sent } from "../../db.ts";
import { askWithin, type AskServer } from "./libsql-fetch.ts";
import {
  createWriteGroups,
  type SendGroup,
  type Sorted,
  type WriteGroups,
} from "./write-groups.ts";

const rowsOf = ({ columnNames, rows }: RowsResult): Row[] =>
  rows.map((row) => Object.fromEntries(columnNames.map((name, at) => [name ?? "", row[at]])));

type Batch = Parameters<typeof BatchCond.and>[0];
type Stepped = PromiseSettledResult<unknown>;

interface Job {
  steps: Promise<unknown>[];
  isOver: BatchCond;
}

function addJob(batch: Batch, statements: readonly Sent[], mayBegin: BatchCond): Job {
  const steps: Promise<unknown>[] = [];
  const add = (condition: BatchCond, sql: string): BatchStep => {
    const step = batch.step().condition(condition);
    steps.push(step.run(sql));
    return step;
  };
  const savepoint = add(mayBegin, "savepoint job");
  let last = savepoint;
  for (const { sql, params } of statements) {
    const step = batch.step().condition(BatchCond.ok(last));
    steps.push(step.query([sql, params]).then((result) => result && rowsOf(result)));
    last = step;
  }
  const release = add(BatchCond.ok(last), "release job");
  const ofJob = [...steps];
  const undo = add(
    BatchCond.and(batch, [BatchCond.ok(savepoint), BatchCond.not(BatchCond.ok(release))]),
    "rollback to job",
  );
  const forget = add(BatchCond.ok(undo), "release job");
  for (const step of steps) step.catch(() => {});
  return {
    steps: ofJob,
    // If the whole transaction was rolled back, neither holds: another savepoint would begin a new transaction.
    isOver: BatchCond.or(batch, [BatchCond.ok(release), BatchCond.ok(forget)]),
  };
}

const wasDone = (step: Stepped | undefined): boolean =>
  step?.status === "fulfilled" && step.value !== undefined;

/** @param server `timeoutMs` of the databases that share it, so that an aborted group's callers are refused */
export function openWriteGroups(server: {
  url: string;
  authToken: string | null;
  fetch: AskServer;
  timeoutMs?: number;
}): WriteGroups {
  const { authToken, timeoutMs = defaultTimeoutMs } = server;
  const url = server.url.replace(/^libsql:/, "https:");
  const client = openHttp(url, authToken ?? undefined, askWithin(server.fetch, timeoutMs));
  client.intMode = "number";

  const send: SendGroup = async (group) => {
    const stream = client.openStream();
    try {
      const batch = stream.batch(false);
      const begin = batch.step();
      const began = begin.run("begin immediate");
      let mayBegin = BatchCond.ok(begin);
      const jobs = group.map((statements) => {
        const job = addJob(batch, statements, mayBegin);
        mayBegin = job.isOver;
        return job;
      });
      const commit = batch.step().condition(mayBegin);
      const committed = commit.run("commit");
      const rollback = batch.step().condition(BatchCond.not(BatchCond.ok(commit)));
      rollback.run("rollback").catch(() => {});
      for (const step of [began, committed]) step.catch(() => {});
      const executed = batch.execute();
      stream.closeGracefully();
      await executed;
      const [first, last] = await Promise.allSettled([began, committed]);
      if (first?.status === "rejected") return { cause: first.reason as unknown };
      const settled = await Promise.all(jobs.map(({ steps }) => Promise.allSettled(steps)));
      if (!wasDone(last)) return group.length === 1 ? failedAlone(settled[0] ?? [], last) : null;
      return settled.map((steps) =>
        steps.every(wasDone)
          ? {
              state: "done",
              rows: steps.slice(1, -1).map((step) => (step as PromiseFulfilledResult<Row[]>).value),
            }
          : { state: "failed", cause: causeIn(steps) },
      );
    } finally {
      stream.close();
    }
  };
  return createWriteGroups(send);
}

/** One per server for the life of the process. */
export function createGroupsByServer(
  fetch: AskServer,
): (server: { url: string; authToken: string | null }) => WriteGroups {
  const made = new Map<string, WriteGroups>();
  return (server) => {
    const groups = made.get(server.url) ?? openWriteGroups({ ...server, fetch });
    made.set(server.url, groups);
    return groups;
  };
}

const causeIn = (steps: readonly Stepped[]): unknown =>
  steps.find((step) => step.status === "rejected")?.reason ?? new Error("the write was skipped");

const failedAlone = (steps: readonly Stepped[], commit: Stepped | undefined): Sorted[] => [
  { state: "failed", cause: causeIn([...steps, ...(commit === undefined ? [] : [commit])]) },
];
