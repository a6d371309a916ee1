/**
 * The public keys that are published: those for which the master keys vouch, through every rotation, and no
 * others.
 */
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { StoredAuditKey } from "../../../src/domain/audit/seals.ts";
import {
  createAuditKeyJob,
  vouchedKeys,
} from "../../../src/pipeline/scheduled/audit/audit-keys.ts";
import { sealOnce } from "../../../src/pipeline/scheduled/audit/seal.ts";
import { raw } from "../../../src/store/db.ts";
import { inlineBackend } from "../../setup/inline-backend.ts";
import { caller, opening, start } from "../store/fixtures.ts";
import { givenWorld, macOf, value } from "../store/open.ts";
import { sealingParts } from "../store/sealing.ts";
import { signerOf } from "./exporting.ts";

describe("published keys", () => {
  const world = givenWorld(inlineBackend());

  /** A deployment under one master key, after one under another. */
  const under = async (byte: number, previous: number | null = null) => {
    const signer = await signerOf(byte);
    const older = previous === null ? [] : (await signerOf(previous)).keys;
    return {
      ...(await sealingParts({
        signer: { ...signer, keys: [...signer.keys, ...older] },
        keyMac: await macOf(byte, "audit-keys", previous),
      })),
      seals: world.stores.seals,
    };
  };
  const idsOf = (keys: readonly { id: string }[]) => keys.map(({ id }) => id).toSorted();
  const published = async (deps: Awaited<ReturnType<typeof under>>) =>
    idsOf(value(await vouchedKeys(deps)));
  const stored = async (): Promise<StoredAuditKey[]> => value(await world.stores.seals.keys());
  const events = async () =>
    value(await world.stores.events.list(null, { cursor: null, limit: 9 })).data.filter(
      ({ action, tenantId }) => action === "audit.tampered" && tenantId === null,
    );
  const sealWith = async (
    deps: Awaited<ReturnType<typeof under>>,
    who: { tenantId: string; keyId: string },
  ) => {
    value(await world.stores.ledger.refuse(opening(who, start), "forbidden", null, null));
    value(await sealOnce(deps, who.tenantId, Number.MAX_SAFE_INTEGER));
  };

  it("leave out keys that somebody put into the database, and name them once in the log", async () => {
    const deps = await under(7);
    const stranger = (await signerOf(9)).key;
    const rows = [
      { ...stranger, code: "" },
      { id: "0123456789abcdef", publicKey: stranger.publicKey, code: `${deps.keyMac.codePrefix}x` },
    ];
    value(await world.stores.seals.keepKeys(rows, start));
    expect(await published(deps)).toEqual([deps.signer.key.id]);
    for (let count = 0; count < 2; count += 1) value(await createAuditKeyJob(deps)());
    expect(await published(deps)).toEqual([deps.signer.key.id]);
    expect((await events()).map(({ target }) => target).toSorted()).toEqual(idsOf(rows));
  });

  it("leave out a key that signed a forged seal, also if the router went on from that seal", async () => {
    const who = await caller(world.stores);
    const [forger, deps] = [await under(9), await under(7)];
    await sealWith(forger, who);
    await sealWith(deps, who);
    value(await world.db.write([raw(sql`update audit_keys set code = ''`)]));
    value(await createAuditKeyJob(deps)());
    expect(await published(deps)).toEqual([deps.signer.key.id]);
    expect((await events()).map(({ target }) => target)).toEqual([forger.signer.key.id]);
  });

  it("are not changed under the id of the router's own", async () => {
    const deps = await under(7);
    const who = await caller(world.stores);
    await sealWith(deps, who);
    const { publicKey } = (await signerOf(9)).key;
    value(
      await world.db.write([
        raw(sql`update audit_keys set public_key = ${publicKey} where id = ${deps.signer.key.id}`),
      ]),
    );
    expect(value(await vouchedKeys(deps))).toEqual([deps.signer.key]);
    await sealWith(deps, who);
    expect(await stored()).toMatchObject([deps.signer.key]);
  });

  it("stay when MASTER_KEY changes, and changes again", async () => {
    const who = await caller(world.stores);
    const deployments = [await under(5), await under(6, 5), await under(7, 6)];
    for (const deps of deployments) {
      value(await createAuditKeyJob(deps)());
      await sealWith(deps, who);
    }
    const last = deployments.at(-1);
    if (last === undefined) throw new Error("none");
    const all = idsOf(deployments.map(({ signer }) => signer.key));
    expect(await published(last)).toEqual(all);
    expect((await stored()).every(({ code }) => code?.startsWith(last.keyMac.codePrefix))).toBe(
      true,
    );
    expect(await events()).toEqual([]);
  });
});
