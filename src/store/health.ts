/** What settlements write about providers, as statements of the settlement's own transaction. */
import { eq, lt, sql, type SQL } from "drizzle-orm";
import { forgottenAfterMs } from "../domain/choice/circuits.ts";
import { keptSamples, type HealthChange } from "../domain/choice/health.ts";
import type { HealthStore } from "../domain/ports/stores.ts";
import { ok } from "../domain/result.ts";
import { raw, type Compiled, type Database } from "./db.ts";
import { circuits, health } from "./health-schema.ts";

/** ms after which a sample says nothing any more. */
export const keptSamplesMs = 86_400_000;

/** Adds one answer's sample to its credential's model, if the condition holds when the transaction runs. */
export function healthStatement(
  tenantId: string,
  { credentialId, model, sample }: HealthChange,
  now: number,
  condition: SQL,
): Compiled {
  const kept = JSON.stringify(sample);
  return raw(sql`
    insert into health (tenant_id, credential_id, model, samples, failures, updated_at)
    select ${tenantId}, ${credentialId}, ${model}, ${`[${kept}]`}, 0, ${now}
    where ${condition}
    on conflict (tenant_id, credential_id, model) do update set
      samples = (
        select json_group_array(json(value)) from (
          select value from (
            select ${kept} as value, -1 as position
            union all select value, key from json_each(health.samples))
          order by position limit ${keptSamples})),
      updated_at = excluded.updated_at`);
}

export const createHealthStore = (db: Database): HealthStore => ({
  list: (tenantId) =>
    db.read((builder) => builder.select().from(health).where(eq(health.tenantId, tenantId))),
  circuits: (tenantId) =>
    db.read((builder) => builder.select().from(circuits).where(eq(circuits.tenantId, tenantId))),
  async prune(now) {
    const written = await db.write([
      db.builder
        .delete(health)
        .where(lt(health.updatedAt, now - keptSamplesMs))
        .returning({ model: health.model }),
      db.builder
        .delete(circuits)
        .where(lt(circuits.updatedAt, now - forgottenAfterMs))
        .returning({ scope: circuits.scope }),
    ]);
    return written.ok ? ok(written.value.flat().length) : written;
  },
});
