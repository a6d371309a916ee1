import { eq, lt } from "drizzle-orm";
import { forgottenAfterMs } from "../../domain/choice/circuits.ts";
import type { HealthStore } from "../../domain/ports/stores.ts";
import type { Database } from "../db.ts";
import { countRows } from "../execute.ts";
import { circuits, health } from "../schema/health-schema.ts";

export const keptSamplesMs = 86_400_000;

export const createHealthStore = (db: Database): HealthStore => ({
  list: (tenantId) =>
    db.read((builder) => builder.select().from(health).where(eq(health.tenantId, tenantId))),
  circuits: (tenantId) =>
    db.read((builder) => builder.select().from(circuits).where(eq(circuits.tenantId, tenantId))),
  prune: (now) =>
    countRows(db, [
      db.builder
        .delete(health)
        .where(lt(health.updatedAt, now - keptSamplesMs))
        .returning({ model: health.model }),
      db.builder
        .delete(circuits)
        .where(lt(circuits.updatedAt, now - forgottenAfterMs))
        .returning({ scope: circuits.scope }),
    ]),
});
