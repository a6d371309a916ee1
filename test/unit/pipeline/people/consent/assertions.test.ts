/** Identity assertions are accepted from the tenant's own provider alone. */
import { beforeEach, describe, expect, it } from "vitest";
import type { AdminEvent } from "../../../../../src/domain/admin-event.ts";
import type { Policy } from "../../../../../src/domain/choice/policy.ts";
import type { Refusal } from "../../../../../src/domain/refusals.ts";
import { err, ok, type Result } from "../../../../../src/domain/result.ts";
import type { OauthResource } from "../../../../../src/domain/tenancy/oauth-resources.ts";
import { createAssertions } from "../../../../../src/pipeline/people/consent/assertions.ts";
import { createBriefMemory } from "../../../../../src/pipeline/people/consent/brief-memory.ts";
import type { ConsentDatabase } from "../../../../../src/pipeline/people/consent/consent-grants.ts";
import type {
  AdmittedPerson,
  TenantSignIn,
} from "../../../../../src/pipeline/people/consent-people.ts";

const issuer = "https://idp.test";
const notes: OauthResource = { kind: "server", tenant: "acme", server: "notes" };
const holder = { tenantId: "ten_1", keyId: "key_1" };
const assertion = {
  resource: notes,
  issuer,
  claims: { sub: "ann" },
  client: { id: "client", name: "A program", domain: "program.test" },
};

let kind: "openid-connect" | "cloudflare-access";
let policy: Policy;
let person: Result<AdmittedPerson, Refusal>;
let obstacle: Refusal | null;
let keys: Result<string, Refusal>;
let keysAsked: number;
let events: AdminEvent[];
let at: number;
beforeEach(() => {
  kind = "openid-connect";
  policy = {};
  person = ok({ holder, userId: "usr_1", groups: ["engineering"], refreshToken: null });
  obstacle = null;
  keys = ok(`${issuer}/keys`);
  keysAsked = 0;
  events = [];
  at = 0;
});

function rules() {
  const signInOf = async (slug: string): Promise<Result<TenantSignIn | null, Refusal>> =>
    ok(
      slug === "acme"
        ? ({ tenant: { policy }, signIn: { kind, issuer } } as unknown as TenantSignIn)
        : null,
    );
  const database = {
    people: {
      signInOf,
      async keysOf() {
        keysAsked += 1;
        return keys;
      },
      asserted: async () => person,
      obstacle: async () => ok(obstacle),
    },
    events: {
      async append(event: AdminEvent) {
        events.push(event);
        return ok(null);
      },
    },
    ids: { next: () => "evt_1" },
  } as unknown as ConsentDatabase;
  return createAssertions({
    databaseOfSlug: async () => ok(database),
    issuerKeys: createBriefMemory({ capacity: 2, lifetimeMs: 300_000, elapsed: () => at }),
    now: () => 7,
  });
}

describe("an identity provider", () => {
  it("is trusted by the tenant alone whose people sign in by it, and asked for its keys' place once", async () => {
    const trusting = rules();
    const keysFor = (change: object) => trusting.keysOf({ resource: notes, issuer, ...change });
    for (let count = 0; count < 3; count += 1) expect(await keysFor({})).toEqual(keys);
    expect(keysAsked).toBe(1);
    expect(await keysFor({ issuer: `${issuer}/` })).toEqual(ok(null));
    expect(await keysFor({ resource: { ...notes, tenant: "other" } })).toEqual(ok(null));
    at += 300_000;
    await keysFor({});
    expect(keysAsked).toBe(2);
  });

  it("is not trusted as a gateway", async () => {
    kind = "cloudflare-access";
    expect(await rules().keysOf({ resource: notes, issuer })).toEqual(ok(null));
  });

  it("that can't be reached is asked again", async () => {
    const trusting = rules();
    keys = err({ reason: "unavailable", retryAfterMs: 1_000 });
    for (const _ of [1, 2]) expect(await trusting.keysOf({ resource: notes, issuer })).toBe(keys);
    expect(keysAsked).toBe(2);
  });
});

describe("an assertion", () => {
  it("lets a program act as the person's key, and the log of events says so", async () => {
    expect(await rules().grantFor(assertion)).toEqual(
      ok({ holder, user: { id: "usr_1", groups: ["engineering"] } }),
    );
    expect(events).toMatchObject([
      {
        action: "oauth.assertion",
        at: 7,
        target: "key_1",
        detail: { client: "A program", clientId: "client", resource: "/mcp/acme/notes" },
      },
    ]);
  });

  it.each<[string, () => void]>([
    [
      "whose program's domain the policy denies",
      () => (policy = { oauthClients: { deniedDomains: ["program.test"] } }),
    ],
    [
      "of a person who may let no program in",
      () => (person = err({ reason: "forbidden", action: "x" })),
    ],
    ["for a server that takes keys alone", () => (obstacle = { reason: "forbidden", action: "x" })],
  ])("%s gives no grant", async (_, change) => {
    change();
    expect(await rules().grantFor(assertion)).toEqual(ok(null));
    expect(events).toEqual([]);
  });

  it("lets in no program that registered itself where the policy lists who may come", async () => {
    const client = { ...assertion.client, domain: null };
    policy = { oauthClients: { allowedDomains: ["program.test", "localhost"] } };
    expect(await rules().grantFor({ ...assertion, client })).toEqual(ok(null));
    expect((await rules().grantFor(assertion)).ok).toBe(true);
    policy = { oauthClients: { deniedDomains: ["program.test"] } };
    expect(await rules().grantFor({ ...assertion, client })).not.toEqual(ok(null));
  });

  it("is refused and not denied while the database is out of reach", async () => {
    person = err({ reason: "unavailable", retryAfterMs: 1_000 });
    expect(await rules().grantFor(assertion)).toBe(person);
  });
});
