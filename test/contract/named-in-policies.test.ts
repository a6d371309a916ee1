/** What a policy names, on a real database: it has to be there, unless the policy named it before. */
import { describe, expect, it } from "vitest";
import { ok } from "../../src/domain/result.ts";
import type { Actor } from "../../src/domain/tenancy/access.ts";
import type { Policy } from "../../src/domain/choice/policy.ts";
import { createTenantAdmin } from "../../src/pipeline/admin/tenants.ts";
import { inlineBackend } from "../setup/inline-backend.ts";
import { event, id, key as aKey, server, start, tenant } from "./store/fixtures.ts";
import { givenWorld, value } from "./store/open.ts";

const operator: Actor = { kind: "operator" };
const why = "It bills twice.";

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
      admin.changePolicy(operator, owner.slug, { ifMatch: null, policyFrom: () => ok(wanted) });
    return { tenantId: owner.id, keyId: key.id, slug: known.slug, change };
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

  it("what is deleted since stays, while another switch is turned", async () => {
    const gone = { keys: { key_gone: why }, servers: { gone: why } };
    const { keyId, change } = await given({ stopped: gone });
    expect(await change({ stopped: gone, maxTokens: 7 })).toMatchObject({ ok: true });
    const more = { ...gone, keys: { ...gone.keys, [keyId]: why } };
    expect(await change({ stopped: more })).toMatchObject({ ok: true });
  });
});
