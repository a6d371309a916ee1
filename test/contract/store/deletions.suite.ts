/** A sealed record disappears only with a signed notice; without one the verifier names it as erased. */
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { hashing } from "../../../src/crypto/chain.ts";
import { createSigner, verifySignature } from "../../../src/crypto/signatures.ts";
import type { DeletionNotice } from "../../../src/domain/audit/deletion-notices.ts";
import type { ExportLine, SectionLine } from "../../../src/domain/audit/exports.ts";
import { createVerification } from "../../../src/domain/audit/verification.ts";
import { createSignedExport } from "../../../src/pipeline/admin/audit/export-lines.ts";
import { deleteOldestRecords } from "../../../src/pipeline/scheduled/audit/deletions.ts";
import { raw } from "../../../src/store/db.ts";
import { verifyChains } from "../../../src/start/chains.ts";
import {
  caller,
  correction,
  event,
  leaseMs,
  opening,
  reservation,
  settlement,
  start,
  type Caller,
} from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";
import { retain, sealAll, sealingOn } from "./sealing.ts";

const dayMs = 86_400_000;
const policy = { retentionDays: 1 };

export const deletionsSuite = (backend: Backend): void => {
  describe("deleted records", () => {
    const world = givenWorld(backend);
    const change = async (statement: ReturnType<typeof sql>): Promise<void> =>
      void value(await world.db.write([raw(statement)]));
    const refused = async (who: Caller, at = start): Promise<string> => {
      const its = opening(who, at);
      value(await world.stores.ledger.refuse(its, "forbidden", null, null));
      return its.id;
    };
    const seal = ({ tenantId }: Caller) => sealAll(world.stores, tenantId);

    /** All of the tenant's chain, as an auditor reads it. */
    async function audited({ tenantId }: Caller) {
      const deps = await sealingOn(world.stores);
      const tenant = { id: tenantId, slug: "its" };
      const lines = createSignedExport(deps, { tenant, filter: {} });
      const through = value(await world.stores.seals.head(tenantId))?.number ?? 0;
      const { keys } = deps.signer;
      let text = await lines.header({ after: 0, through, keys, exportedAt: start });
      text += await lines.page(
        value(await world.stores.seals.read(tenantId, { first: 1, last: through })),
      );
      text += await lines.footer({ nextCursor: null, waiting: 0 });
      const verification = createVerification({ hashing, verify: verifySignature, pinned: keys });
      const sections: SectionLine[] = [];
      for (const [at, line] of text.trimEnd().split("\n").entries()) {
        const parsed = JSON.parse(line) as ExportLine;
        if (parsed.kind === "section") sections.push(parsed);
        await verification.line({ number: at + 1, text: line, parsed });
      }
      const findings = await verification.endOfFile();
      const { gone, erased } = verification.total();
      const notices = sections.flatMap(({ deletions = [] }) => deletions);
      return { findings, gone, erased, notices };
    }
    const faultOf = async (who: Caller): Promise<string | null> => {
      const { seals } = world.stores;
      const only = async () => {
        const found = await seals.heads("", 1_000);
        return found.ok
          ? { ...found, value: found.value.filter(({ tenantId }) => tenantId === who.tenantId) }
          : found;
      };
      let asked = false;
      const heads: typeof seals.heads = async () => {
        if (asked) return { ok: true, value: [] };
        asked = true;
        return only();
      };
      const keys = async () => ({
        ok: true as const,
        value: (await sealingOn(world.stores)).signer.keys.map((key) => ({ ...key, code: "code" })),
      });
      return value(await verifyChains({ ...seals, heads, keys })).fault;
    };

    it("are named as erased where the row was deleted from the database", async () => {
      const who = await caller(world.stores);
      const ids = [await refused(who), await refused(who), await refused(who)];
      await seal(who);
      expect(await audited(who)).toMatchObject({ findings: [], gone: 0, erased: [] });
      await change(sql`delete from sampling_requests where seal_position = 1
        and tenant_id = ${who.tenantId} and id in (select value from json_each(${JSON.stringify(ids)}))`);
      expect(await audited(who)).toMatchObject({
        findings: [],
        gone: 0,
        erased: [{ seal: 1, position: 1 }],
      });
      expect(await faultOf(who)).toBe(
        `the record at position 1 of seal 1 of tenant ${who.tenantId} was erased`,
      );
    });

    it("have a notice by retention, with its limit, and by early deletion", async () => {
      const who = await caller(world.stores, { policy });
      await refused(who, start);
      await refused(who, start);
      await refused(who, start + dayMs);
      await seal(who);
      expect(value(await retain(world.stores, start + dayMs + 1))).toBe(2);
      const once = await audited(who);
      expect(once).toMatchObject({
        findings: [],
        gone: 2,
        erased: [],
        notices: [{ reason: "retention", createdBefore: start + 1, seal: 1 }],
      });
      expect(await faultOf(who)).toBeNull();
      expect(value(await deleteOldestRecords(await sealingOn(world.stores)))).toBeGreaterThan(0);
      const both = await audited(who);
      expect(both).toMatchObject({ findings: [], gone: 3, erased: [] });
      expect(both.notices.map(({ reason }) => reason)).toEqual(["retention", "space"]);
    });

    it("have a notice where a correction or a late end was sealed again", async () => {
      const who = await caller(world.stores);
      const lost = [reservation(who, start), reservation(who, start)] as const;
      for (const each of lost) value(await world.stores.ledger.admit(each));
      value(await world.stores.ledger.sweep(start + leaseMs));
      await seal(who);
      const place = { tenantId: who.tenantId, id: lost[0].opening.id };
      // Corrected twice before it is sealed again.
      for (const costMicroUsd of [200, 300])
        value(
          await world.stores.ledger.correct(
            { ...place, correction: correction({ costMicroUsd }) },
            event(who.tenantId, "request.correct"),
          ),
        );
      value(
        await world.stores.ledger.settleSwept(
          settlement(lost[1], start + leaseMs + 5_000),
          event(who.tenantId, "request.settled_late"),
        ),
      );
      await seal(who);
      const found = await audited(who);
      expect(found).toMatchObject({ findings: [], gone: 2, erased: [] });
      expect(found.notices.map(({ reason }) => reason).toSorted()).toEqual([
        "correction",
        "late_end",
      ]);
      // Corrected once more after that.
      value(
        await world.stores.ledger.correct(
          { ...place, correction: correction({ costMicroUsd: 400 }) },
          event(who.tenantId, "request.correct"),
        ),
      );
      await seal(who);
      expect(await audited(who)).toMatchObject({ findings: [], gone: 3, erased: [] });
      expect(await faultOf(who)).toBeNull();
    });

    it("can't be passed off as the former place of another record", async () => {
      const who = await caller(world.stores);
      const lost = reservation(who, start);
      value(await world.stores.ledger.admit(lost));
      const victim = await refused(who);
      value(await world.stores.ledger.sweep(start + leaseMs));
      await seal(who);
      const its = { id: lost.opening.id, tenantId: who.tenantId, correction: correction() };
      value(await world.stores.ledger.correct(its, event(who.tenantId, "request.correct")));
      const { records } = value(await world.stores.seals.read(who.tenantId, { first: 1, last: 1 }));
      const at = records.find(({ record }) => record.id === victim)?.position ?? -1;
      await change(sql`delete from sampling_requests where id = ${victim}`);
      await change(sql`update sampling_requests set former_position = ${at} where id = ${its.id}`);
      await seal(who);
      expect((await audited(who)).erased).toEqual([{ seal: 1, position: 1 - at }]);
      // A record that was never sealed before explains no place at all.
      const fresh = await refused(who);
      await change(
        sql`update sampling_requests set former_seal = 1, former_position = ${1 - at} where id = ${fresh}`,
      );
      await seal(who);
      expect((await audited(who)).erased).toEqual([{ seal: 1, position: 1 - at }]);
    });

    it("are erased whatever notice somebody without the key writes", async () => {
      const who = await caller(world.stores, { policy });
      await refused(who);
      await refused(who, start + 10 * dayMs);
      await seal(who);
      await refused(who, start + 10 * dayMs);
      await seal(who);
      expect(value(await retain(world.stores, start + 2 * dayMs))).toBe(1);
      const [genuine] = (await audited(who)).notices;
      if (genuine === undefined) throw new Error("no notice");
      const erased = [
        { seal: 1, position: 1 },
        { seal: 2, position: 0 },
      ];
      await change(sql`delete from sampling_requests where tenant_id = ${who.tenantId}`);
      expect((await audited(who)).erased).toEqual(erased);
      const other = await createSigner({ master: new Uint8Array(32).fill(9), previous: null });
      const forged: DeletionNotice[] = [
        { ...genuine, positions: [[0, 255]] },
        { ...genuine, keyId: other.key.id },
        { ...genuine, seal: 2 },
      ];
      for (const notice of forged) {
        await change(sql`update seals set deletions = ${JSON.stringify([genuine, notice])}
          where tenant_id = ${who.tenantId}`);
        expect((await audited(who)).erased).toEqual(erased);
      }
      for (const text of ["no json", "{}", "null", "7"]) {
        await change(
          sql`update seals set deletions = ${text} where tenant_id = ${who.tenantId} and number = 2`,
        );
        expect((await audited(who)).erased).toContainEqual({ seal: 2, position: 0 });
      }
    });

    it("are not deleted by retention where only the row says that they are old", async () => {
      const who = await caller(world.stores, { policy });
      const id = await refused(who, start + 10 * dayMs);
      await seal(who);
      await change(sql`update sampling_requests set created_at = 1 where id = ${id}`);
      expect(value(await retain(world.stores, start + 10 * dayMs))).toBe(0);
      expect((await audited(who)).notices).toEqual([]);
    });
  });
};
