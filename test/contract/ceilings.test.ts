/** What the operator pays is used only with the operator's leave: on a real database, with the real providers. */
import { describe, expect, it } from "vitest";
import { createVault } from "../../src/crypto/vault.ts";
import type { Actor } from "../../src/domain/tenancy/access.ts";
import { seedCatalogue } from "../../src/domain/models/catalogue.ts";
import type { Ceiling } from "../../src/domain/limits/ceilings.ts";
import { featuresOf } from "../../src/domain/sampling/negotiation.ts";
import { createCeilingAdmin } from "../../src/pipeline/admin/models/ceilings.ts";
import { createCredentialAdmin } from "../../src/pipeline/admin/models/credentials.ts";
import { createModelAdmin } from "../../src/pipeline/admin/models/models.ts";
import { createChooser } from "../../src/pipeline/sampling/choice/choose.ts";
import { createProviders } from "../../src/providers/registry.ts";
import { createWorkersAi, type AiBinding } from "../../src/providers/workers-ai.ts";
import { inlineBackend } from "../setup/inline-backend.ts";
import { call } from "../unit/domain/models.fixture.ts";
import { event, id, key, start, tenant } from "./store/fixtures.ts";
import { givenWorld, value } from "./store/open.ts";
import { ok } from "../../src/domain/result.ts";
import { plainKeys } from "../fakes/plain-keys.ts";

const operator: Actor = { kind: "operator" };
const paid = { provider: "workers-ai", name: "theirs", apiKey: "", baseUrl: null, models: null };

describe("a provider that the operator pays", () => {
  const world = givenWorld(inlineBackend());

  async function given(ceiling: Ceiling) {
    const { stores } = world;
    const its = tenant({ ceiling });
    const keyId = id("key");
    value(await stores.tenants.create(its, event(its.id)));
    value(await stores.keys.create(key(its.id, { id: keyId }), event(its.id)));
    const asked: string[] = [];
    const ai: AiBinding = {
      run: async (name) => {
        asked.push(name);
        return { response: "hello" };
      },
    };
    const deps = {
      ...stores,
      ids: { next: id },
      now: () => start,
      vault: await createVault({
        master: new Uint8Array(32).fill(7),
        previous: null,
        randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
      }),
      providers: createProviders({
        fetch,
        workersAi: createWorkersAi(ai),
        demo: true,
        now: () => start,
      }),
      providerKeys: plainKeys(async () => ok("")),
      catalogue: async () => ({ ok: true as const, value: seedCatalogue }),
      allowPrivateUpstreams: false,
      ownOrigins: [],
    };
    const chosen = async () => {
      const { snapshot } = value(await stores.snapshots.load(keyId, null, start));
      if (snapshot === null) throw new Error("no snapshot");
      return createChooser({ catalogue: () => seedCatalogue, now: () => start }).plan(
        call(),
        snapshot,
        { capabilities: { sampling: {} }, features: featuresOf({}) },
      );
    };
    return {
      slug: its.slug,
      admin: {
        kind: "key",
        keyId,
        tenantId: its.id,
        role: "admin",
        expiresAt: null,
      } satisfies Actor,
      ceilings: createCeilingAdmin(deps),
      credentials: createCredentialAdmin(deps),
      models: createModelAdmin(deps),
      asked,
      chosen,
    };
  }

  it("can't be used by a new tenant until the operator gives leave, and not once it is taken back", async () => {
    const { slug, admin, ceilings, credentials, chosen, asked } = await given({ limits: {} });
    const refused = { ok: false, error: { reason: "forbidden" } };
    expect(await credentials.create(admin, slug, paid)).toMatchObject(refused);
    expect(await credentials.create(operator, slug, paid)).toMatchObject(refused);
    const leave = { limits: {}, providers: ["workers-ai"] };
    value(await ceilings.replace(operator, slug, { ifMatch: null, ceiling: leave }));
    const { id: credentialId } = value(await credentials.create(admin, slug, paid));
    expect(await chosen()).toMatchObject({ ok: true });
    expect(value(await credentials.check(admin, slug, credentialId)).model).toMatch(/^workers-ai/);
    const calls = asked.length;
    expect(calls).toBeGreaterThan(0);
    value(await ceilings.replace(operator, slug, { ifMatch: null, ceiling: { limits: {} } }));
    const plan = await chosen();
    if (plan.ok || plan.error.reason !== "no_eligible_model") throw new Error("a model was chosen");
    expect(new Set(plan.error.candidates.map(({ excludedBy }) => excludedBy))).toEqual(
      new Set(["not_allowed_by_operator"]),
    );
    expect(await credentials.check(admin, slug, credentialId)).toMatchObject(refused);
    expect(asked).toHaveLength(calls);
  });

  it("has the operator's prices, and none of the tenant's", async () => {
    const { slug, admin, credentials, models } = await given({
      limits: {},
      providers: ["workers-ai"],
    });
    const free = { id: "@cf/free", inputUsdPerMTok: 0, outputUsdPerMTok: 0 };
    const forbidden = { ok: false, error: { reason: "forbidden" } };
    const change = { provider: "workers-ai", id: "@cf/free", change: { inputUsdPerMTok: 0 } };
    expect(await credentials.create(admin, slug, { ...paid, models: [free] })).toMatchObject(
      forbidden,
    );
    expect(await models.put(admin, slug, change)).toMatchObject(forbidden);
    const named = { ...paid, models: [{ id: "@cf/free" }] };
    const { id: credentialId } = value(await credentials.create(admin, slug, named));
    const free_ = { id: credentialId, ifMatch: null, patch: { models: [free] } };
    expect(await credentials.update(admin, slug, free_)).toMatchObject(forbidden);
    value(await models.put(operator, slug, change));
    expect(await models.remove(admin, slug, "workers-ai", "@cf/free")).toMatchObject(forbidden);
    value(await models.put(admin, slug, { ...change, provider: "openai" }));
  });
});
