/** Changes of one API key that meet: each rests on the row that it read. On a real database. */
import { describe, expect, it } from "vitest";
import { createMac } from "../../src/crypto/mac.ts";
import { createKeyTokens } from "../../src/crypto/tokens.ts";
import type { Actor } from "../../src/domain/tenancy/access.ts";
import { createKeyAdmin } from "../../src/pipeline/admin/keys/keys.ts";
import { createKeyCodes } from "../../src/pipeline/callers/key-codes.ts";
import { inlineBackend } from "../setup/inline-backend.ts";
import { event, id, start, tenant } from "./store/fixtures.ts";
import { givenWorld, value } from "./store/open.ts";

const operator: Actor = { kind: "operator" };
const randomBytesOf = (count: number) => crypto.getRandomValues(new Uint8Array(count));
type Keys = ReturnType<typeof createKeyAdmin>;
interface Who {
  slug: string;
  keyId: string;
}

const patch = (keys: Keys, { slug, keyId }: Who) =>
  keys.update(operator, slug, { id: keyId, ifMatch: null, patch: { limits: { concurrent: 2 } } });
const revoke = (keys: Keys, { slug, keyId }: Who) => keys.revoke(operator, slug, keyId);
const rotate = (keys: Keys, { slug, keyId }: Who) => keys.rotate(operator, slug, keyId);

describe("a change of a key that another change meets", () => {
  const world = givenWorld(inlineBackend());

  /** `slowly`: the same administration, where `meanwhile` happens between a change's first read and its write. */
  async function given(meanwhile: typeof patch | typeof revoke | typeof rotate) {
    const { stores } = world;
    const of = tenant();
    value(await stores.tenants.create(of, event(of.id)));
    const masters = { master: new Uint8Array(32).fill(7), previous: null };
    const keyCodes = createKeyCodes({
      rejected: async () => {},
      mac: await createMac({ ...masters, purpose: "api-key" }),
    });
    const tokens = createKeyTokens({ randomBytesOf });
    const vault = undefined as never;
    const unused = { vault, userHash: undefined as never, nonce: undefined as never };
    const deps = { ...stores, ...unused, tokens, keyCodes, ids: { next: id }, now: () => start };
    const keys = createKeyAdmin(deps);
    const input = { name: "Key", scopes: ["sampling" as const], limits: {}, userId: null };
    const made = value(await keys.create(operator, of.slug, { ...input, expiresAt: null }));
    const who = { slug: of.slug, keyId: made.id };
    let reads = 0;
    const slowly = createKeyAdmin({
      ...deps,
      keys: {
        ...stores.keys,
        async get(tenantId, keyId) {
          const found = await stores.keys.get(tenantId, keyId);
          reads += 1;
          if (reads === 1) value<unknown>(await meanwhile(keys, who));
          return found;
        },
      },
    });
    const row = async () => {
      const stored = value(await stores.keys.get(of.id, made.id));
      if (stored === null) throw new Error("no key");
      return stored;
    };
    const actions = async () =>
      value(await stores.events.list(of.id, { cursor: null, limit: 20 })).data.map(
        ({ action }) => action,
      );
    return { slowly, who, row, actions, keyCodes, tokens };
  }

  it.each([
    ["rotation", rotate],
    ["revocation", revoke],
  ])("a %s keeps what a patch wrote meanwhile, and the row stays known", async (_, change) => {
    const { slowly, who, row, keyCodes } = await given(patch);
    value<unknown>(await change(slowly, who));
    expect((await row()).limits).toEqual({ concurrent: 2 });
    expect(await keyCodes.isKnown(await row())).toBe(true);
  });

  it("a rotation gives a key that opens the row", async () => {
    const { slowly, who, row, tokens } = await given(patch);
    const { key } = value(await slowly.rotate(operator, who.slug, who.keyId));
    expect(await tokens.matches(key, (await row()).secretHash)).toBe(true);
  });

  it("a rotation is refused where the key was revoked meanwhile, and no event tells of it", async () => {
    const { slowly, who, row, actions, keyCodes } = await given(revoke);
    expect(await rotate(slowly, who)).toMatchObject({ ok: false, error: { reason: "conflict" } });
    expect((await row()).revokedAt).toBe(start);
    expect(await keyCodes.isKnown(await row())).toBe(true);
    expect(await actions()).not.toContain("key.rotate");
  });

  it.each([
    ["rotated", rotate],
    ["revoked", revoke],
  ])("a revocation revokes a key that was %s meanwhile", async (_, meanwhile) => {
    const { slowly, who, row, actions, keyCodes } = await given(meanwhile);
    value(await revoke(slowly, who));
    expect((await row()).revokedAt).toBe(start);
    expect(await keyCodes.isKnown(await row())).toBe(true);
    expect((await actions()).filter((action) => action === "key.revoke")).toHaveLength(1);
  });
});
