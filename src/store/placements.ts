/** The directory of slugs, in the home shard. Each method is one transaction and one round trip. */
import { and, eq, sql } from "drizzle-orm";
import type { Placement, PlacementStore } from "../domain/ports/placements.ts";
import { ok } from "../domain/result.ts";
import { homeShard } from "../domain/tenancy/shards.ts";
import { raw, type Database } from "./db.ts";
import { placements, tenants } from "./schema.ts";

export const createPlacementStore = (db: Database): PlacementStore => {
  const { builder } = db;
  const where = ({ slug, tenantId, shard }: Placement) =>
    and(eq(placements.slug, slug), eq(placements.tenantId, tenantId), eq(placements.shard, shard));
  const standing = (slug: string) =>
    raw(sql`select tenant_id, shard from placements where slug = ${slug}`);
  const placementOf = (slug: string, rows: Record<string, unknown>[] = []): Placement | null => {
    const [row] = rows;
    return row === undefined
      ? null
      : { slug, tenantId: String(row["tenant_id"]), shard: String(row["shard"]) };
  };
  return {
    async claim({ slug, tenantId, shard }) {
      const written = await db.write([
        // A tenant that was made before there were several shards has no placement, but it has its
        // slug.
        raw(sql`
          insert into placements (slug, tenant_id, shard) select ${slug}, ${tenantId}, ${shard}
          where not exists (select 1 from tenants where slug = ${slug})
          on conflict (slug) do nothing`),
        standing(slug),
      ]);
      return written.ok ? ok(placementOf(slug, written.value[1])) : written;
    },
    async replace(from, to) {
      const written = await db.write([
        builder
          .update(placements)
          .set({ tenantId: to.tenantId, shard: to.shard })
          .where(where(from)),
        standing(from.slug),
      ]);
      return written.ok ? ok(placementOf(from.slug, written.value[1])) : written;
    },
    bySlug: (slug) =>
      db.read(async (reader) => {
        const [row] = await reader
          .select()
          .from(placements)
          .where(eq(placements.slug, slug))
          .limit(1);
        return row ?? null;
      }),
    async release(placement) {
      const written = await db.write([builder.delete(placements).where(where(placement))]);
      return written.ok ? ok(null) : written;
    },
    counts: () =>
      db.read(async (reader) => {
        const count = sql<number>`count(*)`;
        const [elsewhere, here] = await reader.batch([
          reader
            .select({ shard: placements.shard, count })
            .from(placements)
            .groupBy(placements.shard),
          // The home shard's own tenants are counted in its table, because the older ones have no
          // placement.
          reader.select({ count }).from(tenants),
        ]);
        return {
          ...Object.fromEntries(elsewhere.map((row) => [row.shard, row.count])),
          [homeShard]: here[0]?.count ?? 0,
        };
      }),
  };
};
