/** Addresses of webhooks that were stored under other settings than today's, on a real database. */
import { describe, expect, it } from "vitest";
import { createVault } from "../../src/crypto/vault.ts";
import type { Actor } from "../../src/domain/tenancy/access.ts";
import type { Policy } from "../../src/domain/choice/policy.ts";
import { createTenantAdmin } from "../../src/pipeline/admin/tenants/tenants.ts";
import { createWebhookAdmin } from "../../src/pipeline/admin/tenants/webhooks.ts";
import { inlineBackend } from "../setup/inline-backend.ts";
import { event, id, start, tenant } from "./store/fixtures.ts";
import { givenWorld, value } from "./store/open.ts";

const operator: Actor = { kind: "operator" };
const plain = "http://hooks.example.com/held";

describe("a webhook's address that today's settings refuse", () => {
  const world = givenWorld(inlineBackend());

  async function given(policy: Policy) {
    const { stores } = world;
    const owner = tenant({ policy });
    value(await stores.tenants.create(owner, event(owner.id)));
    const admin = createTenantAdmin({
      ...stores,
      ids: { next: id },
      now: () => start,
      allowPrivateUpstreams: false,
      ownOrigins: ["https://router.test"],
    });
    return (wanted: Policy) =>
      admin.replacePolicy(operator, owner.slug, { ifMatch: null, policy: wanted });
  }

  const rules = {
    approval: (webhookUrl: string): Policy => ({ approval: { mode: "request", webhookUrl } }),
    alerts: (webhookUrl: string): Policy => ({
      alerts: { receivers: [{ webhookUrl: "https://hooks.example.com/new" }, { webhookUrl }] },
    }),
  };

  it.each(["approval", "alerts"] as const)("in %s blocks no other change", async (rule) => {
    const stored = rules[rule](plain);
    const change = await given(stored);
    expect(await change({ ...stored, maxTokens: 7 })).toMatchObject({ ok: true });
  });

  it.each(["approval", "alerts"] as const)("in %s is refused where it is new", async (rule) => {
    const change = await given(rules[rule](plain));
    const place = rule === "alerts" ? "alerts.receivers.1" : rule;
    expect(await change(rules[rule](`${plain}/2`))).toMatchObject({
      ok: false,
      error: { reason: "invalid_params", path: `${place}.webhookUrl` },
    });
  });
});

describe("the secrets of a tenant's messages", () => {
  const world = givenWorld(inlineBackend());

  async function given() {
    const owner = tenant();
    value(await world.stores.tenants.create(owner, event(owner.id)));
    const admin = createWebhookAdmin({
      ...world.stores,
      ids: { next: id },
      now: () => start,
      allowPrivateUpstreams: false,
      ownOrigins: [],
      vault: await createVault({
        master: new Uint8Array(32).fill(7),
        previous: null,
        randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
      }),
      newWebhookSecret: () => "whsec_new",
    });
    return { owner, ...admin };
  }

  it("are one header for each of ten origins, with their names", async () => {
    const { owner, headers, replaceHeader } = await given();
    const put = (host: string, name: string, secret: string | null = "key") =>
      replaceHeader(operator, owner.slug, { url: `https://${host}/send`, name, value: secret });
    for (let at = 0; at < 10; at += 1) value(await put(`mail-${at}.test`, "X-Token"));
    value(await put("mail-0.test", "Authorization"));
    const refused = { ok: false, error: { reason: "invalid_params", path: "url" } };
    expect(await put("mail-10.test", "X-Token")).toMatchObject(refused);
    expect(value(await put("mail-9.test", "X-Token", null)).name).toBeNull();
    value(await put("mail-10.test", "X-Token"));
    const { data } = value(await headers(operator, owner.slug));
    expect(data.map(({ origin, name }) => `${name} of ${origin}`).toSorted()).toEqual([
      "Authorization of https://mail-0.test",
      ...[1, 10, 2, 3, 4, 5, 6, 7, 8].map((at) => `X-Token of https://mail-${at}.test`),
    ]);
  });

  it("name the end of the secret before, if there is one", async () => {
    const { owner, rotateSecret } = await given();
    const made = [];
    for (const _ of [1, 2]) made.push(value(await rotateSecret(operator, owner.slug)));
    expect(made.map(({ previousUntil }) => previousUntil)).toEqual([null, start + 24 * 3_600_000]);
  });
});
