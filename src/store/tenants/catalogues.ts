import { asc, eq, isNull, gt, lte, ne, or, and, sql } from "drizzle-orm";
import type { AdminEvent } from "../../domain/admin-event.ts";
import type { Model } from "../../domain/models/model.ts";
import type { CatalogueStore } from "../../domain/ports/catalogues.ts";
import { ok } from "../../domain/result.ts";
import type { Database } from "../db.ts";
import { execute } from "../execute.ts";
import { appendEvent } from "../events.ts";
import { catalogueMeta, catalogues } from "../schema.ts";

const only = 1;

export const createCatalogueStore = (db: Database): CatalogueStore => {
  const { builder: statements } = db;
  const meta = eq(catalogueMeta.id, only);
  const began = statements
    .insert(catalogueMeta)
    .values({ id: only, dueAt: 0 })
    .onConflictDoNothing();
  const notedBy = (event: AdminEvent | null | undefined) =>
    event === null || event === undefined ? [] : [appendEvent(statements, event)];
  return {
    newerThan: (version) =>
      db.read(async (builder) => {
        // Avoids sending the models if nothing is newer.
        const isNewer = sql`exists (select 1 from ${catalogueMeta} where ${catalogueMeta.version} <> ${version})`;
        const [metaRows, rows] = await builder.batch([
          builder.select().from(catalogueMeta).where(meta),
          builder.select().from(catalogues).where(isNewer).orderBy(asc(catalogues.provider)),
        ]);
        const found = metaRows[0]?.version ?? null;
        if (found === null || rows.length === 0) return null;
        return { version: found, models: rows.flatMap(({ models }) => models) };
      }),
    state: () =>
      db.read(async (builder) => {
        const rows = await builder.select().from(catalogueMeta).where(meta);
        if (rows[0] === undefined) return null;
        const { version, syncedAt, dueAt, fault } = rows[0];
        return { version, syncedAt, dueAt, fault };
      }),
    async claim(now, { until, latestDue, seedVersion }) {
      const isDue = or(
        lte(catalogueMeta.dueAt, now),
        gt(catalogueMeta.dueAt, latestDue),
        isNull(catalogueMeta.seedVersion),
        ne(catalogueMeta.seedVersion, seedVersion),
      );
      // Reads first: the job runs every minute, and a write takes the lock.
      const waiting = await db.read((builder) => builder.select().from(catalogueMeta).where(meta));
      if (!waiting.ok) return waiting;
      const [row] = waiting.value;
      const waits = row !== undefined && row.dueAt > now && row.dueAt <= latestDue;
      if (waits && row.seedVersion === seedVersion) return ok(false);
      const written = await db.write([
        began,
        statements
          .update(catalogueMeta)
          .set({ dueAt: until, seedVersion })
          .where(and(meta, isDue))
          .returning({ id: catalogueMeta.id }),
      ]);
      return written.ok ? ok((written.value[1] ?? []).length > 0) : written;
    },
    replace({ version, models }, { now, dueAt, event }) {
      const byProvider = new Map<string, Model[]>();
      for (const model of models) {
        const ofProvider = byProvider.get(model.provider);
        if (ofProvider === undefined) byProvider.set(model.provider, [model]);
        else ofProvider.push(model);
      }
      return execute(db, [
        statements.delete(catalogues),
        ...[...byProvider].map(([provider, ofProvider]) =>
          statements.insert(catalogues).values({ provider, models: ofProvider }),
        ),
        began,
        statements
          .update(catalogueMeta)
          .set({ version, syncedAt: now, dueAt, fault: null })
          .where(meta),
        ...notedBy(event),
      ]);
    },
    postpone: ({ dueAt, fault, event }) =>
      execute(db, [
        began,
        statements.update(catalogueMeta).set({ dueAt, fault }).where(meta),
        ...notedBy(event),
      ]),
  };
};
