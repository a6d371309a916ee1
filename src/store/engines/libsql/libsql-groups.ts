/** Sends a group of writes as one transaction. Each write has a savepoint, so a failed write doesn't undo the others. */
import { BatchCond, openHttp, type BatchStep, type RowsResult } from "@libsql/hrana-client";
import { defaultTimeoutMs, type Row, type Sent } from "../../db.ts";
import { withTimeout, type FetchDatabase } from "./libsql-fetch.ts";
import {
  createWriteGroups,
  type SendGroup,
  type WriteOutcome,
  type WriteGroups,
} from "./write-groups.ts";

const rowsOf = ({ columnNames, rows }: RowsResult): Row[] =>
  rows.map((row) => Object.fromEntries(columnNames.map((name, at) => [name ?? "", row[at]])));

type Batch = Parameters<typeof BatchCond.and>[0];
type SettledStep = PromiseSettledResult<unknown>;

interface WriteInBatch {
  steps: Promise<unknown>[];
  hasEnded: BatchCond;
}

function addWrite(batch: Batch, statements: readonly Sent[], mayBegin: BatchCond): WriteInBatch {
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
  const writeSteps = [...steps];
  const rollback = add(
    BatchCond.and(batch, [BatchCond.ok(savepoint), BatchCond.not(BatchCond.ok(release))]),
    "rollback to job",
  );
  const releaseAfterRollback = add(BatchCond.ok(rollback), "release job");
  for (const step of steps) step.catch(() => {});
  return {
    steps: writeSteps,
    // Neither is true after SQLite rolled back the whole transaction. A savepoint would then begin a new one.
    hasEnded: BatchCond.or(batch, [BatchCond.ok(release), BatchCond.ok(releaseAfterRollback)]),
  };
}

const hasRun = (step: SettledStep | undefined): boolean =>
  step?.status === "fulfilled" && step.value !== undefined;

/** @param server `timeoutMs` is also the timeout of a group's callers, which are refused when it is aborted */
export function openWriteGroups(server: {
  url: string;
  authToken: string | null;
  fetch: FetchDatabase;
  timeoutMs?: number;
}): WriteGroups {
  const { authToken, timeoutMs = defaultTimeoutMs } = server;
  const url = server.url.replace(/^libsql:/, "https:");
  const client = openHttp(url, authToken ?? undefined, withTimeout(server.fetch, timeoutMs));
  client.intMode = "number";

  const send: SendGroup = async (group) => {
    const stream = client.openStream();
    try {
      const batch = stream.batch(false);
      const begin = batch.step();
      const began = begin.run("begin immediate");
      let mayBegin = BatchCond.ok(begin);
      const writes = group.map((statements) => {
        const write = addWrite(batch, statements, mayBegin);
        mayBegin = write.hasEnded;
        return write;
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
      const settled = await Promise.all(writes.map(({ steps }) => Promise.allSettled(steps)));
      if (!hasRun(last)) return group.length === 1 ? onlyWriteFailed(settled[0] ?? [], last) : null;
      return settled.map((steps) =>
        steps.every(hasRun)
          ? {
              state: "done",
              rows: steps.slice(1, -1).map((step) => (step as PromiseFulfilledResult<Row[]>).value),
            }
          : { state: "failed", cause: causeOf(steps) },
      );
    } finally {
      stream.close();
    }
  };
  return createWriteGroups(send);
}

/** Databases on the same server share its write groups. */
export function createGroupsByServer(
  fetch: FetchDatabase,
): (server: { url: string; authToken: string | null }) => WriteGroups {
  const byUrl = new Map<string, WriteGroups>();
  return (server) => {
    const groups = byUrl.get(server.url) ?? openWriteGroups({ ...server, fetch });
    byUrl.set(server.url, groups);
    return groups;
  };
}

const causeOf = (steps: readonly SettledStep[]): unknown =>
  steps.find((step) => step.status === "rejected")?.reason ?? new Error("the write was skipped");

const onlyWriteFailed = (
  steps: readonly SettledStep[],
  commit: SettledStep | undefined,
): WriteOutcome[] => [
  { state: "failed", cause: causeOf([...steps, ...(commit === undefined ? [] : [commit])]) },
];
