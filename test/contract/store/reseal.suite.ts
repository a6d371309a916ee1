/** Everything that is sealed or coded comes under the current master key, once. */
import { signInSecretsOf } from "../../../src/domain/tenancy/sign-in.ts";
import { userSecretsOf } from "../../../src/domain/tenancy/user.ts";
import { sql, type SQL } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { StoredKey } from "../../../src/domain/tenancy/access.ts";
import type { NewApproval } from "../../../src/domain/sampling/approval.ts";
import type { SealedCredential, Stores } from "../../../src/domain/ports/stores.ts";
import {
  providerKeyOf,
  webhookSecretOf,
  type SealedFor,
} from "../../../src/domain/tenancy/sealing.ts";
import { pendingOf, secretsOf, tokenOf } from "../../../src/domain/servers/server.ts";
import type { Mac } from "../../../src/domain/tenancy/mac.ts";
import { createStores } from "../../../src/store/stores.ts";
import { raw } from "../../../src/store/db.ts";
import {
  authorization,
  ownerNamed,
  reservation,
  credential,
  event,
  id,
  key,
  server,
  start,
  tenant,
  tokens,
  type Caller,
} from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";
import { processOn, rolloutMs } from "./sealing-anew.ts";

const [old, fresh, other] = [1, 2, 3];
const manyCredentials = 120;
const forgedCode = "c1.000000000000.forged";
type Process = Awaited<ReturnType<typeof processOn>>;
/** One content that is a page of its own, and one result in three parts. */
const largeCharacters = 900_000;
const largestCharacters = 1_800_000;

export const resealSuite = (backend: Backend): void => {
  describe("sealing anew", () => {
    const world = givenWorld(backend);
    const clock = { now: start };
    let tenantId = "";
    let credentials: SealedCredential[] = [];

    beforeEach(async () => {
      clock.now = start;
      const its = tenant();
      tenantId = its.id;
      credentials = [];
      value(await world.stores.tenants.create(its, event(tenantId)));
    });
    const write = async (statement: SQL) => value(await world.db.write([raw(statement)]))[0] ?? [];
    const textsIn = async (statement: SQL) =>
      (await write(statement)).map((row) => Object.values(row)[0] as string | null);
    const everySeal = async () => {
      // One query for each table: a Durable Object unites five at most.
      const found = [
        await textsIn(sql`select sealed from credentials`),
        await textsIn(sql`select sealed from servers`),
        await textsIn(sql`select sealed from server_tokens`),
        await textsIn(sql`select sealed from authorizations`),
        await textsIn(sql`select sealed from webhook_secrets`),
        await textsIn(sql`select sealed from sign_ins`),
        await textsIn(sql`select sealed from users`),
        await textsIn(sql`select replace(sealed, 'messages:', '') from captures`),
        await textsIn(sql`select sealed from results where part = 0`),
        await textsIn(sql`select replace(code, 'c1', 'v1') from api_keys`),
      ];
      const lengths = [manyCredentials, 1, 1, 1, 1, 1, 1, 3, 3, 1];
      expect(found.map((texts) => texts.length)).toEqual(lengths);
      return found.flat();
    };
    const storesWith = ({ rowMac }: { rowMac: Mac }) =>
      createStores(world.db, { nonce: () => crypto.randomUUID(), mac: rowMac, rowMac });
    const heldBy = async (stores: Stores, who: Caller) => {
      const approval: NewApproval = {
        stage: "request",
        deadline: start + 1,
        onTimeout: "deny",
        conditions: [],
        contentHash: "ab",
        parts: [],
      };
      const [row] = await write(sql`select version from tenants where id = ${tenantId}`);
      const held = reservation(who, start, {
        leaseUntil: null,
        approval,
        tenantVersion: Number(row?.["version"]),
      });
      expect(value(await stores.ledger.admit({ ...held, limitChecks: [] })).state).toBe("admitted");
      return { tenantId, requestId: held.opening.id };
    };
    const resultOf = async (requestId: string) =>
      (
        await textsIn(sql`select sealed from results where request_id = ${requestId} order by part`)
      ).join("");

    interface Sealer {
      seal(plain: string, context: SealedFor): Promise<string>;
    }
    const addKey = async ({ keyCodes }: Pick<Process, "keyCodes">) => {
      const blank = key(tenantId);
      const its = { ...blank, code: await keyCodes.codeOf(blank) };
      value(await world.stores.keys.create(its, event(tenantId)));
      return its;
    };
    const addCredential = async (vault: Sealer, fields: Partial<SealedCredential> = {}) => {
      const its = credential(tenantId, { baseUrl: "https://provider.test/v1", ...fields });
      its.sealed = await vault.seal(`key of ${its.id}`, providerKeyOf(its));
      credentials.push(its);
      value(await world.stores.credentials.create(its, event(tenantId)));
      return its;
    };
    const addResult = async (vault: Sealer, text: string) => {
      const requestId = id("request");
      const context = { purpose: "result", tenantId, provider: "", id: requestId } as const;
      const sealed = await vault.seal(text, { ...context, destination: "" });
      for (let part = 0; part * 1_000_000 < sealed.length; part += 1)
        await write(sql`insert into results values (${tenantId}, ${requestId}, ${part},
          ${sealed.slice(part * 1_000_000, (part + 1) * 1_000_000)}, ${start})`);
      return { requestId, context: { ...context, destination: "" } };
    };
    const addCapture = async (vault: Sealer, text: string, mark = "") => {
      const requestId = id("request");
      const context = { purpose: "capture", tenantId, provider: "", id: requestId } as const;
      const sealed = await vault.seal(text, { ...context, destination: "" });
      await write(sql`insert into captures values (${requestId}, ${tenantId}, ${mark + sealed})`);
      return { requestId, context: { ...context, destination: "" } };
    };
    /** Adds one secret of each kind, and says what has to be read of each again. */
    async function addAll(vault: Sealer) {
      const { stores } = world;
      const its = server(tenantId, { url: "https://server.test/mcp", sealed: null });
      its.sealed = await vault.seal("headers", secretsOf(its));
      value(await stores.servers.create(its, event(tenantId)));
      const sealed = await vault.seal("grant", tokenOf(its));
      const about = { event: event(tenantId), now: start };
      value(await stores.serverTokens.replace(tokens(tenantId, its.id, { sealed }), about));
      const own = await vault.seal("own grant", tokenOf(its, ownerNamed("usr_1")));
      const theirs = tokens(tenantId, its.id, { sealed: own });
      value(
        await stores.userTokens
          .of(ownerNamed("usr_1"))
          .replace(theirs, { event: event(tenantId), now: start }),
      );
      const state = authorization(tenantId, its.id);
      state.sealed = await vault.seal("pending", pendingOf(its, state));
      value(await stores.authorizations.create(state, event(tenantId)));
      const secret = { id: id("webhook"), tenantId, destination: null, createdAt: start };
      const signs = webhookSecretOf(secret);
      const signing = { ...secret, sealed: await vault.seal("signs", signs) };
      value(await stores.webhooks.rotate(signing, start, event(tenantId)));
      const provider = { tenantId, issuer: "https://id.test", updatedAt: start };
      const letsIn = signInSecretsOf(provider);
      const signIn = { ...provider, sealed: await vault.seal("lets in", letsIn) };
      value(await stores.signIns.put(signIn, event(tenantId)));
      const people = userSecretsOf({ tenantId, id: tenantId });
      const finds = await vault.seal("finds people", people);
      value(await stores.users.keepFinderKey({ tenantId, sealed: finds, createdAt: start }));
      const large = "x".repeat(largeCharacters);
      const results = [
        await addResult(vault, "small"),
        await addResult(vault, "y".repeat(largestCharacters)),
        await addResult(vault, "last"),
      ];
      const captures = [
        await addCapture(vault, "content"),
        await addCapture(vault, large),
        await addCapture(vault, "said", "messages:"),
      ];
      return {
        server: its,
        async read(opener: { open(sealed: string, context: SealedFor): Promise<unknown> }) {
          const [server_] = await textsIn(sql`select sealed from servers`);
          const [token] = await textsIn(sql`select sealed from server_tokens`);
          const [userToken] = await textsIn(sql`select sealed from user_tokens`);
          const [secretOf] = await textsIn(sql`select sealed from webhook_secrets`);
          const [entry] = await textsIn(sql`select sealed from sign_ins`);
          const [finder] = await textsIn(sql`select sealed from users`);
          const [pending] = await textsIn(sql`select sealed from authorizations`);
          const kept = await textsIn(sql`select sealed from captures order by request_id`);
          expect(kept.map((text) => text?.startsWith("messages:"))).toEqual([false, false, true]);
          const open = (text: string | null | undefined, context: SealedFor) =>
            opener.open((text ?? "").replace("messages:", ""), context);
          return Promise.all([
            open(server_, secretsOf(its)),
            open(token, tokenOf(its)),
            open(userToken, tokenOf(its, ownerNamed("usr_1"))),
            open(pending, pendingOf(its, state)),
            open(secretOf, signs),
            open(entry, letsIn),
            open(finder, people),
            ...kept.map((text, at) => open(text, captures[at]?.context as SealedFor)),
            ...results.map(async ({ requestId, context }) =>
              open(await resultOf(requestId), context),
            ),
          ]);
        },
        whole: [
          "headers",
          "grant",
          "own grant",
          "pending",
          "signs",
          "lets in",
          "finds people",
          "content",
          large,
          "said",
          "small",
          "y".repeat(largestCharacters),
          "last",
        ].map((text) => ({ ok: true, value: text })),
      };
    }

    it("brings every kind under another MASTER_KEY, after which the former opens nothing", async () => {
      const before = await processOn(world.stores, { master: old, clock });
      const all = await addAll(before.vault);
      await Promise.all(Array.from({ length: manyCredentials }, () => addCredential(before.vault)));
      const its = await processOn(world.stores, { master: fresh, previous: old, clock });
      const theirs = await addKey(before);
      value(await its.sealing.current());
      clock.now += rolloutMs;
      expect(await its.runAll()).toBeGreaterThan(1);
      const alone = await processOn(world.stores, { master: fresh, clock });
      for (const text of await everySeal())
        expect(text?.slice(0, alone.vault.sealPrefix.length)).toBe(alone.vault.sealPrefix);
      expect(await all.read(alone.vault)).toEqual(all.whole);
      for (const { id: credentialId } of credentials) {
        const row = value(await world.stores.credentials.get(tenantId, credentialId));
        expect(row && (await alone.vault.open(row.sealed, providerKeyOf(row)))).toEqual({
          ok: true,
          value: `key of ${credentialId}`,
        });
      }
      const row = value(await world.stores.keys.get(tenantId, theirs.id));
      expect(row && (await alone.keyCodes.isKnown(row))).toBe(true);
      expect(await its.run()).toEqual({ ok: true, value: 0 });
      const { data } = value(await world.stores.events.list(null, { cursor: null, limit: 5 }));
      expect(data.find(({ action }) => action === "secrets.resealed")?.detail).toEqual({
        changed: manyCredentials + 14,
        unreadable: 0,
      });
    });

    it("waits until processes with the former MASTER_KEY have ended", async () => {
      const before = await processOn(world.stores, { master: old, clock });
      const its = await addCredential(before.vault);
      const now = await processOn(world.stores, { master: fresh, previous: old, clock });
      expect(await now.run()).toEqual({ ok: true, value: 0 });
      clock.now += rolloutMs - 1;
      expect(await now.run()).toEqual({ ok: true, value: 0 });
      const stored = async () =>
        value(await world.stores.credentials.get(tenantId, its.id))?.sealed;
      expect(await stored()).toBe(its.sealed);
      clock.now += 1;
      await now.runAll();
      expect(await stored()).not.toBe(its.sealed);
    });

    it("follows a change of MASTER_KEY, for kept results and codes too", async () => {
      const first = await processOn(world.stores, { master: old, clock });
      value(await first.sealing.current());
      const all = await addAll(first.vault);
      const its = await addCredential(first.vault);
      const coded = await addKey(first);
      const forged = await addKey({
        keyCodes: { ...first.keyCodes, codeOf: async () => forgedCode },
      });
      const entry = { tenantId, value: "one", expiresAt: null };
      const entriesOf = async (masters: Parameters<typeof processOn>[1]) =>
        storesWith(await processOn(world.stores, masters)).oauthEntries;
      const grants = await entriesOf({ master: old, clock });
      for (const named of ["grant:a", "grant:b"])
        value(await grants.change({ ...entry, key: named, ifVersion: "absent" }, start));
      await write(sql`update oauth_entries set value = 'two' where key = 'grant:b'`);
      const before = storesWith(await processOn(world.stores, { master: old, clock }));
      const who = { tenantId, keyId: coded.id, tenantLimits: {}, keyLimits: {} };
      const [held, marked] = [await heldBy(before, who), await heldBy(before, who)];
      await write(
        sql`update approvals set state = 'approved' where request_id = ${marked.requestId}`,
      );
      const second = await processOn(world.stores, { master: fresh, previous: old, clock });
      expect(await all.read(second.vault)).toEqual(all.whole);
      expect(await second.keyCodes.isKnown(coded)).toBe(true);
      value(await second.sealing.current());
      clock.now += rolloutMs;
      await second.runAll();
      const alone = await processOn(world.stores, { master: fresh, clock });
      expect(await all.read(alone.vault)).toEqual(all.whole);
      const row = value(await world.stores.credentials.get(tenantId, its.id));
      expect(row && (await alone.vault.open(row.sealed, providerKeyOf(row))).ok).toBe(true);
      const codeOf = async ({ id: keyId }: StoredKey) =>
        value(await world.stores.keys.get(tenantId, keyId));
      const renewed = await codeOf(coded);
      expect(renewed && (await alone.keyCodes.isKnown(renewed))).toBe(true);
      expect((await codeOf(forged))?.code).toBe(forgedCode);
      const { data } = value(await world.stores.events.list(null, { cursor: null, limit: 5 }));
      const done = data.filter(({ action }) => action === "secrets.resealed");
      expect(done.map(({ detail }) => detail)).toEqual([{ changed: 17, unreadable: 3 }]);
      const after = await entriesOf({ master: fresh, clock });
      const found = value(await after.get(tenantId, ["grant:a", "grant:b"], start));
      expect(found.map((each) => each.key)).toEqual(["grant:a"]);
      const { approvals } = storesWith(alone);
      expect(value(await approvals.find(held))?.approval.state).toBe("waiting");
      expect(value(await approvals.find(marked))?.approval.state).toBe("expired");
    });

    it("follows a change back to a former MASTER_KEY", async () => {
      const first = await processOn(world.stores, { master: old, clock });
      const its = await addCredential(first.vault);
      value(await first.sealing.current());
      for (const keys_ of [
        { master: fresh, previous: old },
        { master: old, previous: fresh },
      ]) {
        clock.now += 1;
        const next = await processOn(world.stores, { ...keys_, clock });
        value(await next.sealing.current());
        clock.now += rolloutMs;
        await next.runAll();
        const alone = await processOn(world.stores, { master: keys_.master, clock });
        const row = value(await world.stores.credentials.get(tenantId, its.id));
        expect(row && (await alone.vault.open(row.sealed, providerKeyOf(row))).ok).toBe(true);
      }
    });

    it("steps over seals that no key opens", async () => {
      const stranger = await processOn(world.stores, { master: other, clock });
      await Promise.all(Array.from({ length: 60 }, () => addCredential(stranger.vault)));
      const before = await processOn(world.stores, { master: old, clock });
      const its = await addCredential(before.vault);
      const now = await processOn(world.stores, { master: fresh, previous: old, clock });
      value(await now.sealing.current());
      clock.now += rolloutMs;
      await now.runAll();
      const sealed = value(await world.stores.credentials.get(tenantId, its.id))?.sealed;
      expect(sealed?.startsWith(now.vault.sealPrefix)).toBe(true);
    });

    it("leaves a database alone that another MASTER_KEY sealed, and names it", async () => {
      const right = await processOn(world.stores, { master: old, clock });
      const its = await addCredential(right.vault);
      const coded = await addKey(right);
      const wrong = await processOn(world.stores, { master: other, clock });
      value(await wrong.sealing.current());
      expect(wrong.notes).toMatchObject([
        { event: "master_key", credentials: { all: 1, foreign: 1 }, servers: { all: 0 } },
      ]);
      clock.now += rolloutMs;
      await wrong.runAll();
      expect((await right.vault.open(its.sealed, providerKeyOf(its))).ok).toBe(true);
      const row = value(await world.stores.keys.get(tenantId, coded.id));
      expect(row && (await wrong.keyCodes.isKnown(row))).toBe(false);
      expect(row && (await right.keyCodes.isKnown(row))).toBe(true);
    });

    it("has nothing to do where no other MASTER_KEY sealed", async () => {
      const now = await processOn(world.stores, { master: old, clock });
      await addCredential(now.vault);
      await addKey(now);
      expect(value(await now.sealing.current()).step).toBe("done");
    });

    it("replaces nothing that changed while it was read", async () => {
      const { vault } = await processOn(world.stores, { master: old, clock });
      const its = await addCredential(vault);
      const { credentials: store, sealedRows } = world.stores;
      const [row] = value(await sealedRows.page("credentials", ""));
      await write(sql`update credentials set sealed = 'given anew'`);
      value(await sealedRows.replace("credentials", row ? [{ ...row, fresh: "v1.late" }] : []));
      expect(value(await store.get(tenantId, its.id))?.sealed).toBe("given anew");
    });

    it("is one process's turn at a time", async () => {
      const { sealing } = world.stores;
      expect(value(await sealing.claim(start, start + 1_000))).toEqual({ cursor: "" });
      expect(value(await sealing.claim(start + 999, start + 2_000))).toBeNull();
      value(await sealing.release("here"));
      expect(value(await sealing.claim(start, start + 1_000))).toEqual({ cursor: "here" });
    });
  });
};
