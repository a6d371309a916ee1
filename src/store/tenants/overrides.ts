import { and, asc, eq } from "drizzle-orm";
import type { OverrideStore } from "../../domain/ports/overrides.ts";
import { writeChange } from "../change.ts";
import type { Database } from "../db.ts";
import { modelOverrides } from "../schema/health-schema.ts";

export const createOverrideStore = (db: Database): OverrideStore => ({
  put: (tenantId, { provider, id, change }, now, event) =>
    writeChange(
      db,
      tenantId,
      db.builder
        .insert(modelOverrides)
        .values({ tenantId, provider, model: id, change, updatedAt: now })
        .onConflictDoUpdate({
          target: [modelOverrides.tenantId, modelOverrides.provider, modelOverrides.model],
          set: { change, updatedAt: now },
        }),
      event,
    ),
  list: (tenantId) =>
    db.read(async (builder) => {
      const rows = await builder
        .select()
        .from(modelOverrides)
        .where(eq(modelOverrides.tenantId, tenantId))
        .orderBy(asc(modelOverrides.provider), asc(modelOverrides.model));
      return rows.map(({ provider, model, change }) => ({ provider, id: model, change }));
    }),
  remove: (tenantId, provider, id, event) =>
    writeChange(
      db,
      tenantId,
      db.builder
        .delete(modelOverrides)
        .where(
          and(
            eq(modelOverrides.tenantId, tenantId),
            eq(modelOverrides.provider, provider),
            eq(modelOverrides.model, id),
          ),
        ),
      event,
    ),
});
