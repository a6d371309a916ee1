/** What was sealed under version 1 of the record keeps its bytes, whatever is written since. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { raw, type Compiled } from "../../../src/store/db.ts";
import { sql } from "drizzle-orm";
import { migrate } from "../../../src/store/migrations.ts";
import { inlineBackend } from "../../setup/inline-backend.ts";
import { readMigrations } from "../../setup/migrations.ts";
import { correction, event, opening, settlement, start, reservation } from "../store/fixtures.ts";
import { storesOn, value } from "../store/open.ts";
import { sealAll } from "../store/sealing.ts";
import { exportPart, signerOf, verifyParts } from "./exporting.ts";

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/audit/${name}`, import.meta.url), "utf8");

const pinned = (
  JSON.parse(fixture("audit-keys.json")) as { keys: { kid: string; x: string }[] }
).keys.map(({ kid, x }) => ({ id: kid, publicKey: x }));

const recordsOf = (text: string): Map<string, string> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line.includes('"kind":"record"'))
      .map((line) => [(JSON.parse(line) as { record: { id: string } }).record.id, line]),
  );

/** The database as it was then, brought to today's schema. */
async function givenDatabase() {
  const opened = await inlineBackend().open();
  const statements = fixture("sealed-v1.sql")
    .split("--> statement-breakpoint")
    .map((text): Compiled => ({ toSQL: () => ({ sql: text.trim(), params: [] }) }));
  value(await opened.db.write(statements));
  const applied = value(await migrate(opened.db, readMigrations()));
  const stores = storesOn(opened.db);
  const [listed] = value(await stores.placements.list({ cursor: null, limit: 1 })).data;
  const tenant = listed === undefined ? null : value(await stores.tenants.byId(listed.id));
  if (tenant === null) throw new Error("no tenant");
  return { ...opened, stores, tenant, applied, signer: await signerOf(7) };
}

describe("an export that was made under version 1", () => {
  it("verifies", async () => {
    expect(await verifyParts([fixture("export-v1.ndjson")], pinned)).toEqual({
      findings: [],
      scope: expect.objectContaining({ filter: {} }) as unknown,
      sealNumbers: { first: 1, last: 3 },
      records: 9,
      seals: 3,
      gone: 1,
      outside: 0,
      unreadable: 0,
      tampered: [],
      unauthenticated: 0,
      replaced: 0,
      nextCursor: null,
    });
  });
});

describe("a database that was sealed under version 1", () => {
  it("exports the same bytes of every record as it did then", async () => {
    const { db: _, close, stores, tenant, signer, applied } = await givenDatabase();
    expect(applied.length).toBeGreaterThan(0);
    const { text } = await exportPart({ stores, signer }, tenant.slug);
    expect(recordsOf(text)).toEqual(recordsOf(fixture("export-v1.ndjson")));
    expect(await verifyParts([text], pinned)).toMatchObject({ findings: [], records: 9, gone: 1 });
    await close();
  });

  it("goes on with version 2: both verify in one chain", async () => {
    const { close, stores, tenant, signer } = await givenDatabase();
    const keyId = value(await stores.keys.list(tenant.id, { cursor: null, limit: 1 })).data[0]?.id;
    const who = { tenantId: tenant.id, keyId: keyId ?? "", tenantLimits: {}, keyLimits: {} };
    const asked = reservation(who, start + 60_000);
    value(await stores.ledger.admit(asked));
    const usage = {
      inputTokens: 20,
      outputTokens: 80,
      estimated: false,
      classes: { cacheReadTokens: 15, reasoningTokens: 60 },
    };
    value(await stores.ledger.settle(settlement(asked, start + 61_000, { usage })));
    value(await stores.ledger.refuse(opening(who, start), "invalid_params", "messages", null));
    // A record of version 1 that is corrected now is sealed again as version 1.
    const lost = value(
      await stores.requests.list(tenant.id, { outcome: "unknown" }, { cursor: null, limit: 9 }),
    ).data.find((record) => record.correction === null);
    value(
      await stores.ledger.correct(
        { tenantId: tenant.id, id: lost?.id ?? "", correction: correction() },
        event(tenant.id),
      ),
    );
    await sealAll(stores, tenant.id);
    const { text } = await exportPart({ stores, signer }, tenant.slug);
    expect(await verifyParts([text], pinned)).toMatchObject({ findings: [], records: 11, gone: 2 });
    const versions = [...recordsOf(text)].map(
      ([id, line]) =>
        [id, (JSON.parse(line) as { record: { version: number } }).record.version] as const,
    );
    expect(versions.filter(([, version]) => version === 2)).toHaveLength(2);
    expect(new Map(versions).get(lost?.id ?? "")).toBe(1);
    expect(new Map(versions).get(asked.opening.id)).toBe(2);
    const told = recordsOf(text).get(asked.opening.id) ?? "";
    expect(JSON.parse(told)).toMatchObject({ record: { usage } });
    await close();
  });

  it("seals a call as version 2 that was admitted before and has ended since", async () => {
    const { db, close, stores, tenant } = await givenDatabase();
    const who = { tenantId: tenant.id, keyId: "", tenantLimits: {}, keyLimits: {} };
    const keys = value(await stores.keys.list(tenant.id, { cursor: null, limit: 1 })).data;
    const asked = reservation({ ...who, keyId: keys[0]?.id ?? "" }, start + 60_000);
    value(await stores.ledger.admit(asked));
    const { id } = asked.opening;
    value(
      await db.write([raw(sql`update sampling_requests set record_version = 1 where id = ${id}`)]),
    );
    value(await stores.ledger.settle(settlement(asked, start + 61_000)));
    expect(value(await stores.requests.get(tenant.id, id))?.version).toBe(2);
    await close();
  });

  it("does not pass for another version than it was sealed as", async () => {
    const { db, close, stores, tenant, signer } = await givenDatabase();
    value(await db.write([raw(sql`update sampling_requests set record_version = 2`)]));
    const { text } = await exportPart({ stores, signer }, tenant.slug);
    const { findings } = await verifyParts([text], pinned);
    expect(findings.filter(({ text: what }) => what.includes("was changed"))).toHaveLength(9);
    await close();
  });
});
