import type { WriteFault } from "../../../domain/ports/readiness.ts";
import type { Database } from "../../db.ts";
import { writeProbes } from "../../schema/probe-schema.ts";

const withinMs = 2_000;
/** ms for which a result is reused, so that health checks can't flood a database. */
const countsMs = 5_000;

export interface ProbeMemory {
  at: number | null;
  fault: WriteFault | null;
}

export const createProbeMemory = (): ProbeMemory => ({ at: null, fault: null });

export const createWriteProbe =
  (deps: { db: Database; memory: ProbeMemory; now: () => number; elapsed: () => number }) =>
  async (): Promise<WriteFault | null> => {
    const { db, memory, now, elapsed } = deps;
    if (memory.at !== null && elapsed() - memory.at < countsMs) return memory.fault;
    memory.at = elapsed();
    const row = { id: 1, at: now() };
    const upsert = db.builder
      .insert(writeProbes)
      .values(row)
      .onConflictDoUpdate({ target: writeProbes.id, set: { at: row.at } });
    memory.fault = await db.probe(upsert, withinMs);
    return memory.fault;
  };
