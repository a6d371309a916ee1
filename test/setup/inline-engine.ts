/** The embedded engine without threads: all SQL, and every sync of the disk, on the thread that asks. */
import { ledgerTexts } from "../../src/store/engines/memory-ledger/texts.ts";
import { openReader, openWriter } from "../../src/store/engines/embedded/connection.ts";
import type { EmbeddedEngine } from "../../src/store/engines/embedded/engine.ts";
import { createGroupCommit } from "../../src/store/engines/embedded/group-commit.ts";
import type { Job, Outcome } from "../../src/store/engines/contract/engine.ts";

const maxPerGroup = 128;

export function startInline(path: string, pragmas: readonly string[] = []): EmbeddedEngine {
  const writer = openWriter(path, pragmas);
  const reader = openReader(path);
  const commitGroup = createGroupCommit(writer, ledgerTexts);
  const waiting: { job: Job; tell: (outcome: Outcome) => void }[] = [];
  const commit = (): void => {
    const group = waiting.splice(0, maxPerGroup);
    const outcomes = commitGroup(group.map(({ job }) => job));
    for (const [at, { tell }] of group.entries()) tell(outcomes[at] as Outcome);
    if (waiting.length > 0) setImmediate(commit);
  };
  return {
    write: (job) =>
      new Promise((tell) => {
        waiting.push({ job, tell });
        if (waiting.length === 1) setImmediate(commit);
      }),
    read: async (statements) => ({ ok: true, rows: statements.map((each) => reader.run(each)) }),
    figures: { waiting: () => waiting.length, bytes: () => 0, onCommit: () => {} },
    async close() {
      reader.close();
      writer.close();
    },
  };
}
