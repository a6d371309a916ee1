/** What an export holds: by filter, in parts, after deletions, corrections and a change of keys. */
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import type { AuditKey } from "../../../src/domain/audit/seals.ts";
import type { RequestFilter } from "../../../src/domain/audit/record.ts";
import { csvColumns } from "../../../src/domain/audit/csv.ts";
import { sealOnce } from "../../../src/pipeline/scheduled/audit/seal.ts";
import { raw } from "../../../src/store/db.ts";
import { inlineBackend } from "../../setup/inline-backend.ts";
import {
  caller,
  decision,
  opening,
  reservation,
  server,
  session,
  settlement,
  start,
} from "../store/fixtures.ts";
import { givenWorld, value } from "../store/open.ts";
import { sealAll, sealingOn, retain } from "../store/sealing.ts";
import { exportPart, signerOf, verifyParts, type Asked } from "./exporting.ts";

const dayMs = 86_400_000;

describe("what an export holds", () => {
  const world = givenWorld(inlineBackend());
  const never = Number.MAX_SAFE_INTEGER;

  async function tenant(policy = {}) {
    const who = await caller(world.stores, { policy });
    const { slug } = value(await world.stores.tenants.byId(who.tenantId)) ?? { slug: "" };
    const { stores } = world;
    return {
      ...who,
      who,
      slug,
      async refuse(at: number, detail: string | null = null): Promise<string> {
        const its = opening(who, at);
        value(await stores.ledger.refuse(its, "forbidden", detail, null));
        return its.id;
      },
      seal: () => sealAll(stores, who.tenantId),
      async export(asked: Asked = {}, byte = 7) {
        return exportPart({ stores, signer: await signerOf(byte) }, slug, asked);
      },
    };
  }
  const linesOf = (text: string): Record<string, unknown>[] =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const idsOf = (text: string): string[] =>
    linesOf(text).flatMap(({ kind, record }) =>
      kind === "record" ? [(record as { id: string }).id] : [],
    );
  let keys: AuditKey[] = [];
  beforeAll(async () => {
    ({ keys } = await signerOf(7));
  });
  const faultsOf = async (...parts: string[]) =>
    (await verifyParts(parts, keys)).findings.map(({ text }) => text);

  it("is every call that has ended, sealed at once if need be, and no call that runs", async () => {
    const its = await tenant();
    const first = await its.refuse(start);
    await its.seal();
    const second = await its.refuse(start + 5);
    value(await world.stores.ledger.admit(reservation(its.who, start)));
    const { text } = await its.export();
    expect(idsOf(text)).toEqual([first, second]);
    expect(linesOf(text).map(({ kind }) => kind)).toEqual([
      "header",
      "section",
      "record",
      "section",
      "record",
      "footer",
    ]);
    expect(linesOf(text).at(-1)).toMatchObject({
      count: 2,
      sections: 2,
      nextCursor: null,
      waiting: 0,
    });
    expect(await faultsOf(text)).toEqual([]);
  });

  it("is a header and a footer for a tenant without records", async () => {
    const its = await tenant();
    const { text } = await its.export();
    expect(linesOf(text).map(({ kind }) => kind)).toEqual(["header", "footer"]);
    expect(await faultsOf(text)).toEqual([]);
  });

  it("filters as the list does", async () => {
    const its = await tenant();
    const { stores } = world;
    const its2 = server(its.tenantId);
    const live = session(its.tenantId, its.keyId);
    value(await stores.sessions.create(live));
    for (let count = 0; count < 4; count += 1) {
      await its.refuse(start + 1_000 * count);
      const reserved = reservation(its.who, start + 1_000 * count, {
        ...(count === 2 && { sessionId: live.id }),
        ...(count === 1 && { decision: decision({ provider: "anthropic", model: "claude" }) }),
      });
      if (count === 3) reserved.opening.who.serverId = its2.id;
      value(await stores.ledger.admit(reserved));
      value(
        await stores.ledger.settle(
          settlement(reserved, start + 9_000, {
            model: count === 1 ? "anthropic/claude" : "openai/gpt",
          }),
        ),
      );
      if (count % 2 === 1) await its.seal();
    }
    const filters: RequestFilter[] = [
      {},
      { from: start + 1_000 },
      { to: start + 2_000 },
      { from: start + 1_000, to: start + 3_000 },
      { from: start + 99_000 },
      { outcome: "succeeded" },
      { outcome: "failed" },
      { outcome: "failed,succeeded" },
      { model: "anthropic/claude" },
      { key: its.keyId },
      { key: "key_other" },
      { server: its2.id },
      { session: live.id },
      { session: live.id, from: start + 5_000 },
    ];
    let found = 0;
    for (const filter of filters) {
      const { text } = await its.export({ filter });
      const list = value(
        await stores.requests.list(its.tenantId, filter, { cursor: null, limit: 99 }),
      );
      expect(idsOf(text).toSorted(), JSON.stringify(filter)).toEqual(
        list.data.map(({ id }) => id).toSorted(),
      );
      expect(await faultsOf(text), JSON.stringify(filter)).toEqual([]);
      found += list.data.length;
    }
    expect(found).toBeGreaterThan(20);
  });

  it("comes in parts that continue each other", async () => {
    const its = await tenant();
    for (let count = 0; count < 5; count += 1) {
      await its.refuse(start + count);
      await its.refuse(start + count);
      await its.seal();
    }
    const all = idsOf((await its.export()).text);
    for (const filter of [{}, { from: start + 1 }, { outcome: "refused" } as const]) {
      const parts: string[] = [];
      let cursor: string | null = null;
      do {
        // A record that comes meanwhile is not in the export: its first part has fixed where it
        // ends.
        await its.refuse(start + 50);
        await its.seal();
        const part: Awaited<ReturnType<typeof its.export>> = await its.export({
          filter,
          cursor,
          maxPerPart: 4,
        });
        parts.push(part.text);
        cursor = part.nextCursor;
      } while (cursor !== null);
      expect(parts.length).toBeGreaterThan(2);
      expect(await faultsOf(...parts)).toEqual([]);
      const held = new Set(parts.flatMap((part) => idsOf(part)));
      expect(all.filter((id) => !held.has(id))).toHaveLength(filter.from === undefined ? 0 : 2);
      const [first = "", second = "", ...others] = parts;
      expect(await faultsOf(first, ...others)).toContainEqual(
        expect.stringContaining("does not continue"),
      );
      expect(await faultsOf(second, ...others)).toContainEqual(
        expect.stringContaining("are missing"),
      );
      expect((await verifyParts([first], keys)).nextCursor).not.toBeNull();
      expect(await faultsOf(first, (await its.export({ filter: { to: 5 } })).text)).toContainEqual(
        expect.stringContaining("another export"),
      );
    }
  });

  it("keeps the hash of what retention deleted, and of what was corrected", async () => {
    const its = await tenant({ retentionDays: 1 });
    const old = await its.refuse(start);
    const kept = await its.refuse(start + 2 * dayMs);
    const corrected = await its.refuse(start + 2 * dayMs);
    await its.seal();
    expect(value(await retain(world.stores, start + 2 * dayMs))).toBe(1);
    const change = sql`update sampling_requests
      set cost_micro_usd = 1, seal_number = null, seal_position = null where id = ${corrected}`;
    value(await world.db.write([raw(change)]));
    const { text } = await its.export();
    expect(idsOf(text)).toEqual([kept, corrected]);
    expect(text).not.toContain(old);
    expect(linesOf(text).filter(({ kind }) => kind === "section")).toMatchObject([
      { records: ["gone", kept, "gone"] },
      { records: [corrected] },
    ]);
    expect((await verifyParts([text], keys)).findings).toEqual([]);
  });

  it("shows that a record was changed in the database", async () => {
    const its = await tenant();
    const id = await its.refuse(start);
    await its.seal();
    value(
      await world.db.write([
        raw(sql`update sampling_requests set key_id = 'key_x' where id = ${id}`),
      ]),
    );
    expect(await faultsOf((await its.export()).text)).toEqual([`${id} was changed`]);
  });

  it("shows that a seal was removed from the database, or made by hand", async () => {
    const its = await tenant();
    for (let count = 0; count < 3; count += 1) {
      await its.refuse(start + count);
      await its.seal();
    }
    const set = sql`update seals set root = (select root from seals where number = 1) where number = 3`;
    value(await world.db.write([raw(set)]));
    expect(await faultsOf((await its.export()).text)).toContainEqual(
      expect.stringContaining("seal 3 holds a seal that is not what was signed"),
    );
    value(await world.db.write([raw(sql`delete from seals where number = 2`)]));
    expect(await faultsOf((await its.export()).text)).toContainEqual(
      expect.stringContaining("comes where seal 2 should"),
    );
  });

  it("is one chain: a signed seal that does not follow the one before is not enough", async () => {
    const its = await tenant();
    await its.refuse(start);
    await its.seal();
    await its.refuse(start + 1);
    await its.seal();
    // The first seal is made anew over other records, with the router's own key, and the second
    // stays.
    value(
      await world.db.write([
        raw(sql`delete from seals where number = 1`),
        raw(sql`update seals set number = 7 where number = 2`),
        raw(sql`update sampling_requests set key_id = 'key_x', seal_number = null,
          seal_position = null where seal_number = 1`),
      ]),
    );
    const deps = await sealingOn(world.stores);
    const empty = {
      ...world.stores.seals,
      waiting: async () => {
        const found = value(await world.stores.seals.waiting(its.tenantId, never, 9));
        return {
          ok: true as const,
          value: { ...found, head: null, highestSealInRows: 0 },
        };
      },
    };
    value(
      await world.db.write([raw(sql`update seals set tenant_id = 'ten_away' where number = 7`)]),
    );
    expect(value(await sealOnce({ ...deps, seals: empty }, its.tenantId, never))).toBe(1);
    value(
      await world.db.write([
        raw(sql`update seals set number = 2, tenant_id = ${its.tenantId} where number = 7`),
      ]),
    );
    expect(await faultsOf((await its.export()).text)).toContainEqual(
      expect.stringContaining("seal 2 does not continue the chain"),
    );
  });

  it("stays verifiable when the key has changed, by all the keys that ever signed", async () => {
    const its = await tenant();
    await its.refuse(start);
    await its.seal();
    await its.refuse(start + 1);
    const { text } = await its.export({}, 8);
    const newer = await signerOf(8);
    expect((await verifyParts([text], [...keys, newer.key])).findings).toEqual([]);
    expect((await verifyParts([text], [newer.key])).findings[0]?.text).toContain(
      "none of those given",
    );
    const header = linesOf(text)[0] as { keys: { id: string }[] };
    expect(header.keys.map(({ id }) => id).toSorted()).toEqual(
      [...keys, newer.key].map(({ id }) => id).toSorted(),
    );
  });

  it("is cut, and has no footer, when the database is lost on the way", async () => {
    const its = await tenant();
    await its.refuse(start);
    const { stores } = world;
    const lost = {
      ...stores,
      seals: {
        ...stores.seals,
        read: async () => ({
          ok: false as const,
          error: { reason: "unavailable" as const, retryAfterMs: 1 },
        }),
      },
    };
    const signer = await signerOf(7);
    await expect(exportPart({ stores: lost, signer }, its.slug)).rejects.toThrow("cut off");
  });

  it("as CSV holds no text that a spreadsheet takes for a formula", async () => {
    const its = await tenant();
    const nasty = [
      "=1+1",
      "+1",
      "-1",
      "@a",
      "\ta",
      "\ra",
      'a "b", c',
      "two\r\nlines",
      "plain",
      " =2",
      "a;=3",
    ];
    for (const [at, detail] of nasty.entries()) await its.refuse(start + at, detail);
    const { text } = await its.export({ format: "csv" });
    expect(text.startsWith(`${csvColumns.join(",")}\r\n`)).toBe(true);
    const details = [
      "'=1+1",
      "'+1",
      "'-1",
      "'@a",
      "'\ta",
      `"'\ra"`,
      '"a ""b"", c"',
      '"two\r\nlines"',
      "plain",
      "' =2",
      '"a;=3"',
    ];
    for (const detail of details) expect(text).toContain(`,forbidden,${detail},`);
    expect(text.endsWith("\r\n")).toBe(true);
  });
});
