/** The embedded engine in the test's own thread. It holds writes back until they are committed as one group. */
import { ledgerTexts } from "../../src/store/engines/memory-ledger/texts.ts";
import type { Database } from "../../src/store/db.ts";
import { openReader, openWriter } from "../../src/store/engines/embedded/connection.ts";
import { createGroupCommit } from "../../src/store/engines/embedded/group-commit.ts";
import { openOverEngine } from "../../src/store/over-engine.ts";
import type { Job, Outcome } from "../../src/store/engines/contract/engine.ts";

export interface HeldEngine {
  db: Database;
  /** Begins each once the one before waits for its commit, and gives their answers after the commit. */
  group<T>(operations: readonly (() => Promise<T>)[]): Promise<T[]>;
  /** All rows of all tables, and how many jobs were entries of the in-memory ledger. */
  rowsOf(sql: string): unknown[][];
  entries(): number;
  close(): void;
}

const turn = (): Promise<false> => new Promise((resolve) => setImmediate(() => resolve(false)));

export function openHeld(path: string, keeping: "memory ledger" | "SQL only"): HeldEngine {
  // Nothing here is about the disk, and a sync takes longer than all else.
  const writer = openWriter(path, ["synchronous = OFF"]);
  const reader = openReader(path);
  const commitGroup = createGroupCommit(writer, keeping === "memory ledger" ? ledgerTexts : null);
  let waiting: { job: Job; answer: (outcome: Outcome) => void }[] = [];
  let entries = 0;
  let isHeld = false;
  const commit = (): void => {
    const group = waiting;
    waiting = [];
    const outcomes = commitGroup(group.map(({ job }) => job));
    for (const [at, { answer }] of group.entries()) {
      const outcome = outcomes[at] as Outcome;
      if (outcome.ok && outcome.answer) entries += 1;
      answer(outcome);
    }
  };
  const { enter, ...plain } = openOverEngine({
    write: (job) =>
      new Promise((answer) => {
        waiting.push({ job, answer });
        if (!isHeld) commit();
      }),
    read: async (statements) => ({ ok: true, rows: statements.map((each) => reader.run(each)) }),
  });
  return {
    db: keeping === "memory ledger" && enter !== undefined ? { ...plain, enter } : plain,
    async group(operations) {
      isHeld = true;
      const answers: Promise<unknown>[] = [];
      for (const operation of operations) {
        const before = waiting.length;
        const answer = operation();
        const isOver = answer.then(() => true);
        while (waiting.length === before && !(await Promise.race([isOver, turn()])));
        answers.push(answer);
      }
      isHeld = false;
      commit();
      return (await Promise.all(answers)) as never;
    },
    rowsOf: (sql) => writer.all(sql, []),
    entries: () => entries,
    close() {
      reader.close();
      writer.close();
    },
  };
}
