import { and, eq, sql } from "drizzle-orm";
import type {
  Listed,
  Placement,
  PlacementState,
  PlacementStore,
} from "../../domain/ports/placements.ts";
import { ok } from "../../domain/result.ts";
import type { Residency } from "../../domain/tenancy/residency.ts";
import { homeDatabase } from "../../domain/tenancy/database-names.ts";
import { raw, type Database } from "../db.ts";
import { execute } from "../execute.ts";
import { withoutUsageOf } from "./deliveries.ts";
import { pageOf, rowsFor } from "../page.ts";
import { placements } from "../schema/directory-schema.ts";

const residencyText = (residency: Residency | null): string | null =>
  residency === null ? null : JSON.stringify(residency);

const residencyOf = (text: string | null): Residency | null =>
  text === null ? null : (JSON.parse(text) as Residency);

const unnamed = { name: "", createdAt: 0, state: "creating" } as const;

interface ListedRow {
  id: string;
  slug: string;
  name: string;
  database: string;
  createdAt: number;
  residency: string | null;
  state: PlacementState;
}

const listedOf = ({ residency, ...row }: ListedRow): Listed => ({
  ...row,
  // The tenant's database reports its name within a minute.
  name: row.name === "" ? row.slug : row.name,
  residency: residencyOf(residency),
});

export const createPlacementStore = (db: Database): PlacementStore => {
  const { builder } = db;
  const where = ({ slug, tenantId, database }: Placement) =>
    and(
      eq(placements.slug, slug),
      eq(placements.tenantId, tenantId),
      eq(placements.database, database),
    );
  const find = (slug: string) =>
    raw(sql`select tenant_id, database, residency from placements where slug = ${slug}`);
  const placementOf = (slug: string, rows: Record<string, unknown>[] = []): Placement | null => {
    const [row] = rows;
    return row === undefined
      ? null
      : {
          slug,
          tenantId: String(row["tenant_id"]),
          database: String(row["database"]),
          residency: residencyOf(row["residency"] as string | null),
        };
  };
  return {
    async claim({ slug, tenantId, database, residency }) {
      const written = await db.write([
        // A tenant of `home` has no placement, but occupies its slug.
        raw(sql`
          insert into placements (slug, tenant_id, database, residency, state)
          select ${slug}, ${tenantId}, ${database}, ${residencyText(residency)}, 'creating'
          where not exists (select 1 from tenants where slug = ${slug})
          on conflict (slug) do nothing`),
        find(slug),
      ]);
      return written.ok ? ok(placementOf(slug, written.value[1])) : written;
    },
    async replace(from, to) {
      const written = await db.write([
        builder
          .update(placements)
          .set({
            tenantId: to.tenantId,
            database: to.database,
            residency: to.residency,
            ...unnamed,
          })
          .where(where(from)),
        find(from.slug),
      ]);
      return written.ok ? ok(placementOf(from.slug, written.value[1])) : written;
    },
    bySlug: (slug) =>
      db.read(async (reader) => {
        const [row] = await reader
          .select({
            slug: placements.slug,
            tenantId: placements.tenantId,
            database: placements.database,
            residency: placements.residency,
            state: placements.state,
          })
          .from(placements)
          .where(eq(placements.slug, slug));
        return row ?? null;
      }),
    confirm: (placement, { name, createdAt }) =>
      execute(db, [
        builder
          .update(placements)
          .set({ name, createdAt, state: "active" })
          // Does not revert a deletion that has started.
          .where(and(where(placement), eq(placements.state, "creating"))),
      ]),
    beginDeletion: (placement) =>
      execute(db, [builder.update(placements).set({ state: "deleting" }).where(where(placement))]),
    release(placement) {
      const { slug, tenantId, database } = placement;
      return execute(db, [
        ...withoutUsageOf(sql`select tenant_id from placements
          where slug = ${slug} and tenant_id = ${tenantId} and database = ${database}`),
        builder.delete(placements).where(where(placement)),
        // The database may disappear with its last tenant.
        raw(sql`delete from deliveries where database = ${database}
          and not exists (select 1 from placements where database = ${database})`),
      ]);
    },
    list: (page) =>
      db.read(async (reader) => {
        const { cursor } = page;
        const older = (id: string) =>
          cursor === null ? sql`true` : sql`${sql.raw(id)} < ${cursor}`;
        const rows = await reader.all<ListedRow>(sql`
          select id, slug, name, ${homeDatabase} as database, created_at as createdAt, residency,
            'active' as state
          from tenants where ${older("id")}
          union all
          select tenant_id, slug, name, database, created_at, residency, state
          from placements where database <> ${homeDatabase} and state <> 'creating'
            and ${older("tenant_id")}
          order by 1 desc limit ${rowsFor(page)}`);
        return pageOf(rows.map(listedOf), page);
      }),
    async namesOf(ids) {
      if (ids.length === 0) return ok({});
      const wanted = sql`(select value from json_each(${JSON.stringify([...new Set(ids)])}))`;
      const found = await db.read((reader) =>
        reader.all<{ id: string; name: string }>(sql`
          select id, name from tenants where id in ${wanted}
          union all
          select tenant_id, case name when '' then slug else name end from placements
          where database <> ${homeDatabase} and state <> 'creating' and tenant_id in ${wanted}`),
      );
      return found.ok
        ? ok(Object.fromEntries(found.value.map(({ id, name }) => [id, name])))
        : found;
    },
  };
};
