/** A record that can't be read: the export says so in the record's place, and the verifier says it too. */
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { raw } from "../../../src/store/db.ts";
import { inlineBackend } from "../../setup/inline-backend.ts";
import { caller, reservation, settlement, start } from "../store/fixtures.ts";
import { givenWorld, value } from "../store/open.ts";
import { sealAll } from "../store/sealing.ts";
import { exportPart, signerOf, verifyParts } from "./exporting.ts";

describe("an export of what can't be read", () => {
  const world = givenWorld(inlineBackend());

  async function given() {
    const who = await caller(world.stores);
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      if (count === 3) await sealAll(world.stores, who.tenantId);
      const asked = reservation(who, start);
      value(await world.stores.ledger.admit(asked));
      value(await world.stores.ledger.settle(settlement(asked, start + count)));
      ids.push(asked.opening.id);
    }
    // One of the two is sealed, and the other never was.
    for (const at of [1, 3])
      value(
        await world.db.write([
          raw(sql`update sampling_requests set cost_micro_usd = 9223372036854775807
            where id = ${ids[at]}`),
        ]),
      );
    const tenant = value(await world.stores.tenants.byId(who.tenantId));
    const signer = await signerOf(7);
    const exported = (about = {}) =>
      exportPart({ stores: world.stores, signer }, tenant?.slug ?? "", about);
    return { ids, signer, exported };
  }

  it("names the record in a section and counts the record in the footer; the rest verifies", async () => {
    const { ids, signer, exported } = await given();
    const { text } = await exported();
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ kind }) => kind)).toEqual([
      "header",
      "section",
      "record",
      "record",
      "footer",
    ]);
    expect(lines[1]).toMatchObject({ records: [ids[0], "unreadable", ids[2]] });
    expect(lines.at(-1)).toMatchObject({ count: 2, waiting: 0, unreadable: 1 });
    const verified = await verifyParts([text], signer.keys);
    expect(verified).toMatchObject({ records: 2, unreadable: 2, gone: 0 });
    expect(verified.findings.map(({ text: found }) => found)).toEqual([
      "the router could not read the record (seal 1, position 1)",
      "the router could not read, and not seal, 1 record",
    ]);
  });

  it("can't be passed off as an export of deleted or missing records", async () => {
    const { signer, exported } = await given();
    const { text } = await exported();
    for (const other of ["gone", "outside"]) {
      const forged = text.replace('"unreadable"', `"${other}"`);
      const { findings } = await verifyParts([forged], signer.keys);
      expect(findings.map(({ text: found }) => found)).toContain(
        "the section of seal 1 is not what was signed",
      );
    }
  });

  it("names it in a filtered export, and in CSV", async () => {
    const { ids, exported } = await given();
    const filtered = await exported({ filter: { outcome: "failed" } });
    expect(filtered.text).toContain('"records":["outside","unreadable","outside"]');
    const table = await exported({ format: "csv" });
    const rows = table.text.trim().split("\r\n").slice(1);
    expect(rows).toHaveLength(3);
    expect(rows.find((row) => row.startsWith(`${ids[1]},`))).toMatch(/,unreadable,.*,1,1,/);
  });
});
