/** Grants that rest on a sign-in end when the identity provider no longer knows the person. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { OauthEntry, OauthEntryStore } from "../../../../src/domain/ports/oauth-entries.ts";
import type { Vault } from "../../../../src/domain/ports/stores.ts";
import { err, ok, type Result } from "../../../../src/domain/result.ts";
import { signInSecretsOf, type SignInSecrets } from "../../../../src/domain/tenancy/sign-in.ts";
import { createIdentityClient } from "../../../../src/oauth/identity.ts";
import { createGrantChecks } from "../../../../src/pipeline/people/grant-checks.ts";
import {
  clientSecret,
  startIdentityProvider,
  type IdentityProvider,
} from "../../../fakes/identity-provider.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const grant = { tenantId: "ten_1", keyId: "key_1", grantId: "g1" };
const redirectUri = "https://router.test/oauth/sign-in";

/** Seals that say what they are bound to. */
const vault: Vault = {
  sealPrefix: "v1.",
  seal: async (plain, context) => JSON.stringify([context, plain]),
  async open(sealed, context) {
    const [bound, plain] = JSON.parse(sealed) as [unknown, string];
    return JSON.stringify(bound) === JSON.stringify(context) ? ok(plain) : err("unopenable");
  },
};

function entriesInMemory(): OauthEntryStore {
  const kept = new Map<string, OauthEntry>();
  let versions = 0;
  return {
    get: async (_, keys) => ok(keys.flatMap((key) => kept.get(key) ?? [])),
    async change({ key, value, expiresAt, ifVersion }) {
      const found = kept.get(key);
      if (typeof ifVersion === "object" && found?.version !== ifVersion.is) return ok(false);
      if (value === null) kept.delete(key);
      else kept.set(key, { key, value, expiresAt, version: String((versions += 1)) });
      return ok(true);
    },
    list: async () => ok([]),
    count: async () => ok(0),
    evict: async () => ok(false),
    prune: async () => ok(0),
  };
}

const value = <T>(result: Result<T, unknown>): T => {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
};

describe("a grant that rests on a sign-in", () => {
  let provider: IdentityProvider;
  let now = 0;
  let asked = 0;
  let settings: SignInSecrets | null;
  let checks: ReturnType<typeof createGrantChecks>;
  beforeAll(async () => {
    provider = await startIdentityProvider();
  });
  afterAll(() => provider.stop());
  beforeEach(() => {
    now = Date.now();
    asked = 0;
    provider.refreshes = "yes";
    provider.claims = { sub: "u1", groups: ["team"] };
    settings = {
      kind: "openid-connect",
      issuer: provider.url,
      clientId: "router",
      clientSecret,
      claim: "groups",
      roles: {},
      callers: ["team"],
      version: "1",
    };
    const identity = identityOf();
    checks = createGrantChecks({
      entries: entriesInMemory(),
      signIns: {
        get: async (tenantId) => {
          if (settings === null) return ok(null);
          const row = { tenantId, issuer: settings.issuer, sealed: "", updatedAt: 0 };
          const sealed = await vault.seal(JSON.stringify(settings), signInSecretsOf(row));
          return ok({ ...row, sealed });
        },
      },
      vault,
      identity: {
        recheck: (signIn, token) => {
          asked += 1;
          return identity.recheck(signIn, token);
        },
      },
      now: () => now,
    });
  });
  const identityOf = () => createIdentityClient({ fetch, allowPrivate: true, now: () => now });

  /** A sign-in, up to the grant. */
  async function given(): Promise<void> {
    const signIn = settings as SignInSecrets;
    const begun = value(await identityOf().begin(signIn, { redirectUri, asks: "lasting" }));
    const back = new URL(await provider.visit(begun.url));
    const { pending } = begun;
    const came = { pending, redirectUri, query: back.searchParams.toString() };
    const { refreshToken } = value(await identityOf().finish(signIn, came));
    value(await checks.keep(grant, { issuer: signIn.issuer, refreshToken }));
  }
  const stands = async (): Promise<boolean | "unavailable"> => {
    const found = await checks.stands(grant);
    return found.ok ? found.value : (found.error.reason as "unavailable");
  };

  it("is looked at again after ten minutes, by one of those who refresh at once", async () => {
    await given();
    expect([await stands(), asked]).toEqual([true, 0]);
    for (let round = 1; round <= 3; round += 1) {
      now += 10 * minuteMs;
      const all = await Promise.all(Array.from({ length: 8 }, stands));
      expect([new Set(all), asked]).toEqual([new Set([true]), round]);
    }
  });

  it("ends when the provider knows the person no more", async () => {
    await given();
    provider.refreshes = "no";
    now += 11 * minuteMs;
    expect(await stands()).toBe(false);
  });

  it("ends when the person has no value of the claim that lets programs in", async () => {
    await given();
    provider.claims = { sub: "u1", groups: ["visitors"] };
    now += 11 * minuteMs;
    expect(await stands()).toBe(false);
  });

  it.each([
    ["another provider", { issuer: "http://127.0.0.1:1" }],
    ["nobody who lets programs in", { callers: [] }],
  ])("ends when the tenant names %s", async (_, change) => {
    await given();
    settings = { ...(settings as SignInSecrets), ...change };
    now += 11 * minuteMs;
    expect(await stands()).toBe(false);
  });

  it("ends when the tenant has no provider any more", async () => {
    await given();
    settings = null;
    now += 11 * minuteMs;
    expect(await stands()).toBe(false);
  });

  it("waits for a provider that is out of reach, and goes on when it is back", async () => {
    await given();
    provider.refreshes = "down";
    now += 11 * minuteMs;
    expect([await stands(), await stands()]).toEqual(["unavailable", "unavailable"]);
    provider.refreshes = "yes";
    expect(await stands()).toBe(true);
  });

  it("lasts for twelve hours where the provider gives nothing to ask again with", async () => {
    provider.refreshes = "no";
    await given();
    now += 12 * hourMs - 1;
    expect(await stands()).toBe(true);
    now += 1;
    expect([await stands(), asked]).toEqual([false, 0]);
  });

  it("is another thing than a grant of an API key, which nobody asks about", async () => {
    expect([await stands(), asked]).toEqual([true, 0]);
  });
});
