/** What a policy names, on a real database: it has to be there, unless the policy named it before. */
import { describe, expect, it } from "vitest";
import type { Actor } from "../../src/domain/tenancy/access.ts";
import type { Policy, Raise } from "../../src/domain/choice/policy.ts";
import { createTenantAdmin } from "../../src/pipeline/admin/tenants/tenants.ts";
import { inlineBackend } from "../setup/inline-backend.ts";
import { event, id, key as aKey, server, start, tenant } from "./store/fixtures.ts";
import { givenWorld, value } from "./store/open.ts";

const operator: Actor = { kind: "operator" };
const why = "It bills twice.";
const raise = (subject: string): Raise => ({
  subject,
  limits: { usdPerDay: 5 },
  until: start + 1,
  reason: why,
});

describe("a policy that names", () => {
  const world = givenWorld(inlineBackend());

  /** A tenant with a key and a server. */
  async function given(policy: Policy = {}) {
    const { stores } = world;
    const owner = tenant({ policy });
    const key = aKey(owner.id);
    const known = server(owner.id, { slug: `s-${owner.id.slice(-8)}` });
    value(await stores.tenants.create(owner, event(owner.id)));
    value(await stores.keys.create(key, event(owner.id)));
    value(await stores.servers.create(known, event(owner.id)));
    const admin = createTenantAdmin({
      ...stores,
      ids: { next: id },
      now: () => start,
      allowPrivateUpstreams: false,
      ownOrigins: ["https://router.test"],
    });
    const change = (wanted: Policy) =>
      admin.replacePolicy(operator, owner.slug, { ifMatch: null, policy: wanted });
    return { tenantId: owner.id, keyId: key.id, serverId: known.id, slug: known.slug, change };
  }
  const missing = (path: string) => ({ ok: false, error: { reason: "invalid_params", path } });

  it("a key or a server of the tenant in a switch is taken", async () => {
    const { keyId, slug, change } = await given();
    const stopped = { keys: { [keyId]: why }, servers: { [slug]: why } };
    expect(await change({ stopped })).toMatchObject({ ok: true });
  });

  it("a switch for what is not there is refused, as one for what another tenant has", async () => {
    const { tenantId, change } = await given();
    const other = await given();
    for (const name of ["nightly job", tenantId, other.keyId, "__proto__x"])
      expect(await change({ stopped: { keys: { [name]: why } } })).toMatchObject(
        missing(`stopped.keys.${name}`),
      );
    expect(await change({ stopped: { servers: { [other.slug]: why } } })).toMatchObject(
      missing(`stopped.servers.${other.slug}`),
    );
  });

  it("whose limits it raises is taken if it is there", async () => {
    const { tenantId, keyId, serverId, change } = await given();
    const { users } = world.stores;
    const person = {
      id: "usr_1",
      tenantId,
      name: null,
      keyId: "key_1",
      finder: "f",
      sealed: "s",
      createdAt: start,
      role: null,
      signedInAt: null,
    };
    value(await users.create(person, aKey(tenantId), event(tenantId)));
    const raises = [
      tenantId,
      keyId,
      serverId,
      "user:usr_1",
      `run:${keyId}:one`,
      "group:a",
      "tag:b",
    ];
    expect(await change({ raises: raises.map(raise) })).toMatchObject({ ok: true });
  });

  it("whose limits it raises is refused if it is not there, unless it was there before", async () => {
    const gone = raise("key_gone");
    const { change } = await given({ raises: [gone] });
    const other = await given();
    expect(await change({ raises: [gone, raise("tag:b")] })).toMatchObject({ ok: true });
    for (const subject of [
      "test",
      other.tenantId,
      other.keyId,
      "user:usr_2",
      "run:key_1:one",
      "tag:",
    ])
      expect(await change({ raises: [gone, raise(subject)] })).toMatchObject(
        missing("raises.1.subject"),
      );
  });

  it("what is deleted since stays, while another switch is turned", async () => {
    const gone = { keys: { key_gone: why }, servers: { gone: why } };
    const { keyId, change } = await given({ stopped: gone });
    expect(await change({ stopped: gone, maxTokens: 7 })).toMatchObject({ ok: true });
    const more = { ...gone, keys: { ...gone.keys, [keyId]: why } };
    expect(await change({ stopped: more })).toMatchObject({ ok: true });
  });
});
