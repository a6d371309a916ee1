/** Compares recovered records with the previous run's mark. */
import { counted } from "../domain/counted.ts";
import { createRecordMark, readRecordMark } from "../store/engines/embedded/record-mark.ts";
import type { EmbeddedEngine } from "../store/engines/embedded/engine.ts";
import { openOverEngine } from "../store/over-engine.ts";
import {
  missingRecords,
  readRecordNumbers,
  type MissingRecords,
} from "../store/records/record-numbers.ts";

/** ms. Younger records may be missing undetected. */
const everyMs = 1_000;
const tenantsNamed = 20;

export interface LostRecords {
  line: string;
  entry: Record<string, unknown>;
}

function describeLost(lost: readonly MissingRecords[]): LostRecords | null {
  const [max, ...others] = lost;
  if (max === undefined) return null;
  const missing = lost.reduce((sum, each) => sum + each.missing, 0);
  const of = `tenant ${max.slug ?? max.tenantId}`;
  const rest = others.length === 0 ? "" : `, and of ${counted(others.length, "more tenant")}`;
  const named = lost.slice(0, tenantsNamed);
  return {
    line: `The database lost ${counted(missing, "record")} that the last run had written: after record ${max.after} of ${of}${rest}. The write-ahead log was damaged or incomplete. Check the disk.`,
    entry: { event: "database.records_lost", missing, tenants: named },
  };
}

/** Expects a migrated database. */
export async function findLostRecords(
  engine: EmbeddedEngine,
  path: string,
): Promise<LostRecords | null> {
  const lost = await missingRecords(openOverEngine(engine), readRecordMark(path));
  return lost.ok ? describeLost(lost.value) : null;
}

export function keepRecordMark(engine: EmbeddedEngine, path: string): () => Promise<void> {
  const db = openOverEngine(engine);
  const mark = createRecordMark(path, async () => {
    const numbers = await readRecordNumbers(db);
    return numbers.ok ? numbers.value : null;
  });
  engine.figures.onCommit(mark.committed);
  let writing: Promise<void> | null = null;
  const timer = setInterval(() => {
    writing ??= mark.note().finally(() => (writing = null));
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await writing;
  };
}
