import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { raw } from "../../../src/store/db.ts";
import { tenants } from "../../../src/store/schema.ts";
import { tenant } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";

export const databaseSuite = (backend: Backend): void => {
  describe("database", () => {
    const world = givenWorld(backend);
    const insert = (fields: Parameters<typeof tenant>[0]) =>
      world.db.builder.insert(tenants).values(tenant(fields));
    const count = async () =>
      Number(
        value(await world.db.write([raw(sql`select count(*) as count from tenants`)]))[0]?.[0]?.[
          "count"
        ],
      );

    it("calls a unique violation a conflict, of a key and of an index", async () => {
      const [byId, bySlug] = [insert({ id: "same" }), insert({ slug: "same" })];
      for (const [first, second] of [
        [byId, insert({ id: "same" })],
        [bySlug, insert({ slug: "same" })],
      ] as const) {
        value(await world.db.write([first]));
        expect(await world.db.write([second])).toMatchObject({
          ok: false,
          error: { reason: "conflict" },
        });
      }
    });

    it("writes all of a batch or nothing of it", async () => {
      const batch = [insert({ slug: "a" }), insert({ slug: "b" }), insert({ slug: "a" })];
      expect(await world.db.write(batch)).toMatchObject({ ok: false });
      expect(await count()).toBe(0);
    });

    it("hands back the rows of each statement, and none where there are none", async () => {
      const rows = value(
        await world.db.write([
          insert({ slug: "a" }),
          insert({ slug: "b" }).returning({ slug: tenants.slug }),
          raw(sql`select slug, version from tenants order by slug`),
        ]),
      );
      expect(rows.map((each) => each.map((row) => ({ ...row })))).toEqual([
        [],
        [{ slug: "b" }],
        [
          { slug: "a", version: 1 },
          { slug: "b", version: 1 },
        ],
      ]);
    });

    it("counts a round trip for a read and for a batch", async () => {
      const trips: string[] = [];
      const db = await world.again({ onRoundTrip: (kind) => trips.push(kind) });
      value(await db.write([insert({ slug: "a" }), insert({ slug: "b" })]));
      value(await db.read((builder) => builder.select().from(tenants)));
      expect(trips).toEqual(["write", "read"]);
    });
  });
};
