/** People's own accounts at a registered server, over a real database: connected, used, refreshed, forgotten. */
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../src/crypto/hashes.ts";
import { createVault } from "../../src/crypto/vault.ts";
import { err, ok } from "../../src/domain/result.ts";
import {
  unreachable,
  type Oauth,
  type OauthFault,
  type OauthGrant,
} from "../../src/domain/servers/oauth.ts";
import type { SealedServer } from "../../src/domain/servers/server.ts";
import { signedIn } from "../../src/domain/tenancy/user.ts";
import { createIds } from "../../src/domain/tenancy/ids.ts";
import { createServerAuthorization } from "../../src/pipeline/admin/servers/server-authorization.ts";
import { firstConnection } from "../../src/pipeline/people/consent/person-connections.ts";
import type { OnBehalf } from "../../src/pipeline/servers/server-accounts.ts";
import { createUpstreamHeaders } from "../../src/pipeline/servers/upstream-headers.ts";
import { legacyWireOf, modernWireOf } from "../../src/mcp/faults.ts";
import { inlineBackend } from "../setup/inline-backend.ts";
import { raw } from "../../src/store/db.ts";
import { event, oauthServer, ownerNamed, session, start, tenant } from "./store/fixtures.ts";
import { givenWorld, storesOn, value } from "./store/open.ts";

const randomBytesOf = (count: number) => crypto.getRandomValues(new Uint8Array(count));
const hourMs = 3_600_000;
const origin = "https://router.test";
const url = `${origin}/oauth/connect?tenant=acme&server=notes`;

describe("a person's own account at a server", () => {
  const world = givenWorld(inlineBackend());
  let now = start;
  let vault: Awaited<ReturnType<typeof createVault>>;
  let its: SealedServer;
  let fault: OauthFault | null = null;
  /** By person's code, how often the refresh token was used. */
  let refreshed: string[] = [];

  const grant = (accessToken: string): OauthGrant => ({
    accessToken,
    expiresAt: now + hourMs,
    refreshToken: `refresh of ${accessToken}`,
    issuer: "https://login.test",
    tokenEndpoint: "https://login.test/token",
    resource: "https://server.test/mcp",
    authentication: "none",
    scopes: [],
  });
  const oauth: Oauth = {
    async begin(_, { redirectUri, state }) {
      const pending = { ...grant(""), verifier: "v", redirectUri, sendsIssuer: false };
      const authorizationUrl = `https://login.test/authorize?state=${state}`;
      return ok({ authorizationUrl, pending, registration: null });
    },
    async finish(_, { query }) {
      const code = new URLSearchParams(query).get("code");
      return code === null ? err("access_denied") : ok(grant(`access of ${code}`));
    },
    byClientCredentials: async () => err("malformed"),
    async refresh(_, { accessToken, refreshToken }) {
      refreshed.push(refreshToken ?? "");
      await new Promise((resolve) => setTimeout(resolve, 20));
      return fault === null ? ok(grant(`${accessToken} again`)) : err(fault);
    },
  };
  const parts = (stores = world.stores) => {
    const clock = { now: () => now, elapsed: () => now };
    const ids = createIds({ now: () => now, randomBytesOf });
    const nonce = () => crypto.randomUUID();
    const wait = async () => {
      now += 200;
      await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const common = { ...stores, vault, oauth, ids, nonce, ...clock, wait };
    const upstream = createUpstreamHeaders({ ...common, stores, ownUrl: origin });
    const authorizations = createServerAuthorization({
      ...common,
      allowPrivateUpstreams: false,
      ownOrigins: [],
      sha256Hex: async (text) => Buffer.from(await sha256(text)).toString("hex"),
      isSame: async (one, other) => one === other,
    });
    return { upstream, authorizations };
  };
  const as = (
    id: string | null,
    given: OnBehalf["session"] = null,
    shown = signedIn,
  ): OnBehalf => ({
    session: given,
    snapshot: { tenant: { slug: "acme" } },
    ...(id !== null && { account: { userId: id, shown } }),
  });
  const bearer = async (caller: OnBehalf, of = parts().upstream) => {
    const headers = await of.headersFor(its, caller);
    return headers.ok ? headers.value["Authorization"] : headers.error;
  };
  const begin = async (userId: string, returnTo: string | null = null) => {
    const asked = { owner: ownerNamed(userId), ownUrl: origin, returnTo };
    const begun = value(await parts().authorizations.beginForPerson(its, asked));
    const state = new URL(begun.authorizationUrl).searchParams.get("state") ?? "";
    return { browser: begun.browser, state };
  };
  const connect = async (userId: string) => {
    const { browser, state } = await begin(userId);
    return value(await parts().authorizations.finish(`state=${state}&code=${userId}`, browser));
  };

  beforeEach(async () => {
    [now, fault, refreshed] = [start, null, []];
    vault = await createVault({ master: await sha256("master"), previous: null, randomBytesOf });
    const owner = tenant({ slug: "acme" });
    value(await world.stores.tenants.create(owner, event(owner.id)));
    its = oauthServer(owner.id, { slug: "notes", per: "user" });
    value(await world.stores.servers.create(its, event(owner.id)));
  });

  it("is asked for more by the page, and by the error that older clients know", async () => {
    const { upstream } = parts();
    await connect("usr_1");
    const sent = { Authorization: "Bearer access of usr_1" };
    const challenge = 'Bearer error="insufficient_scope", scope="read write"';
    const forbidden = (caller: OnBehalf, more: object = {}) =>
      upstream.onForbidden(its, { caller, sent, challenge, isFirst: true, ...more });
    const given = {
      ...session(its.tenantId, "key_1"),
      revision: "2025-11-25" as const,
      capabilities: { elicitation: { url: {} } },
    };
    const refusal = await forbidden(as("usr_1", given));
    const message = "Connect your own account at notes again. It requires more scopes: read write.";
    expect(refusal).toMatchObject({
      ok: false,
      error: { scopes: ["read", "write"], elicitations: [{ mode: "url", url, message }] },
    });
    expect(value(await world.stores.servers.byId(its.tenantId, its.id))?.learned).toEqual({
      issuer: "https://login.test",
      scopes: ["read", "write"],
    });
    for (const other of [
      { challenge: null },
      { challenge: 'Bearer error="invalid_token", scope="read"' },
      { challenge: 'Bearer error="insufficient_scope"' },
    ])
      expect(await forbidden(as("usr_1"), other)).toEqual(ok("pass"));
    // Another token came meanwhile, which is tried once.
    const late = { sent: { Authorization: "Bearer before" } };
    expect(await forbidden(as("usr_1"), late)).toEqual(ok("again"));
    expect(await forbidden(as("usr_1"), { ...late, isFirst: false })).toEqual(ok("pass"));
    expect(await forbidden(as(null))).toEqual(ok("pass"));
  });

  it("is used for that person alone: each person's calls go with that person's token", async () => {
    expect(await connect("usr_1")).toEqual({ server: "notes", returnTo: null, isAuthorized: true });
    expect(await bearer(as("usr_1"))).toBe("Bearer access of usr_1");
    expect(await bearer(as("usr_2"))).toEqual({
      reason: "authorization_needed",
      server: "notes",
      url,
    });
    await connect("usr_2");
    expect(await bearer(as("usr_2"))).toBe("Bearer access of usr_2");
    expect(await bearer(as("usr_1"))).toBe("Bearer access of usr_1");
    // Where somebody moves one person's row to another in the database, the token does not open.
    const { userTokens } = world.stores;
    const stolen = value(await userTokens.of(ownerNamed("usr_1")).get(its.tenantId, its.id));
    if (stolen === null) throw new Error("There is no row.");
    const about = { event: event(its.tenantId), now };
    value(await userTokens.of(ownerNamed("usr_2")).replace(stolen, about));
    expect(await bearer(as("usr_2"))).toMatchObject({ reason: "authorization_needed" });
    // Another secret of the same person's reaches no account that was connected with the first.
    const byKey = as("usr_1", null, "key_1.0123456789abcdef");
    expect(await bearer(byKey)).toMatchObject({ reason: "authorization_needed" });
    await world.db.write([raw(sql`update user_tokens set shown = 'key_1.0123456789abcdef'`)]);
    expect(await bearer(byKey)).toMatchObject({ reason: "authorization_needed" });
  });

  it("is asked for of a person alone, and a caller who is nobody is refused", async () => {
    for (const caller of [as(null), null])
      expect(await parts().upstream.headersFor(its, caller)).toMatchObject({
        error: { reason: "server_unauthorized" },
      });
    const shared = await parts().authorizations.begin(
      { kind: "operator" },
      { tenant: "acme", server: "notes" },
      origin,
    );
    expect(shared).toMatchObject({ error: { reason: "conflict" } });
  });

  it("is asked for by an error whose URL clients with elicitation by URL open by themselves", async () => {
    const declared = (revision: string, capabilities: object) =>
      session(its.tenantId, "key_1", { revision, capabilities: capabilities as never });
    const urls = { elicitation: { url: {} } };
    const codes = [];
    for (const given of [
      declared("2025-11-25", urls),
      declared("2025-11-25", { elicitation: {} }),
      declared("2025-06-18", urls),
      null,
    ]) {
      const refusal = await bearer(as("usr_1", given));
      if (typeof refusal !== "object") throw new Error("It was let in.");
      expect(refusal).toMatchObject({ reason: "authorization_needed", url });
      codes.push(legacyWireOf(refusal).code);
      expect(modernWireOf(refusal).code).toBe(-403);
    }
    expect(codes).toEqual([-32042, -403, -403, -403]);
    const told = await bearer(as("usr_1", declared("2025-11-25", urls)));
    expect(told).toMatchObject({ elicitations: [{ mode: "url", url }] });
  });

  it("is connected in the browser in which the person began, and once", async () => {
    const { browser, state } = await begin("usr_1");
    const { finish } = parts().authorizations;
    const elsewhere = await finish(`state=${state}&code=attacker`, "another browser's");
    expect(elsewhere).toMatchObject({ error: { reason: "forbidden" } });
    // The state is used up, also where it was somebody else who brought it.
    expect(await finish(`state=${state}&code=usr_1`, browser)).toMatchObject({
      error: { reason: "bad_request" },
    });
    expect(await bearer(as("usr_1"))).toMatchObject({ reason: "authorization_needed" });
    for (const empty of ["", undefined as unknown as string]) {
      const again = await begin("usr_1");
      expect((await finish(`state=${again.state}&code=x`, empty)).ok).toBe(false);
    }
  });

  it("is refreshed by one of many callers, and a refusal of one person's concerns nobody else", async () => {
    await connect("usr_1");
    await connect("usr_2");
    now += hourMs;
    const both = [parts().upstream, parts(storesOn(await world.again())).upstream];
    const bearers = await Promise.all(
      Array.from({ length: 6 }, (_, at) => bearer(as("usr_1"), both[at % 2])),
    );
    expect(bearers).toEqual(Array(6).fill("Bearer access of usr_1 again"));
    expect(refreshed).toEqual(["refresh of access of usr_1"]);
    fault = "invalid_grant";
    expect(await bearer(as("usr_2"))).toMatchObject({ reason: "authorization_needed" });
    expect(await bearer(as("usr_1"))).toBe("Bearer access of usr_1 again");
    expect(value(await world.stores.servers.byId(its.tenantId, its.id))?.status).toBe("active");
  });

  it("is left as it is where its authorization server is only out of reach", async () => {
    await connect("usr_1");
    now += hourMs;
    fault = unreachable("idp.example:443: the connection was refused");
    expect(await bearer(as("usr_1"))).toMatchObject({
      reason: "server_unauthorized",
      detail:
        "Its authorization server can't be reached: idp.example:443: the connection was refused.",
    });
  });

  it("is asked for again after the server's 401, and the server keeps working for other people", async () => {
    await connect("usr_1");
    const { upstream } = parts();
    const caller = as("usr_1");
    const sent = value(await upstream.headersFor(its, caller));
    value(await upstream.onUnauthorized(its, { caller, sent }));
    expect(await bearer(caller)).toBe("Bearer access of usr_1 again");
    expect(value(await world.stores.servers.byId(its.tenantId, its.id))?.status).toBe("active");
  });

  it("is connected right after a program was let in, and the browser goes back to the program", async () => {
    const { servers, userTokens } = world.stores;
    const { beginForPerson } = parts().authorizations;
    const database = { beginForPerson, servers, userTokens };
    const resource = { kind: "server", tenant: "acme", server: "notes" } as const;
    const returnTo = "http://127.0.0.1:9/callback?code=x";
    const asked = {
      tenantId: its.tenantId,
      resource,
      owner: ownerNamed("usr_1"),
      ownUrl: origin,
      returnTo,
    };
    const onward = await firstConnection(database, asked);
    const state = new URL(onward?.url ?? "").searchParams.get("state");
    const { finish } = parts().authorizations;
    // A person who refuses there has still let the program in.
    expect(await finish(`state=${state}`, onward?.browser ?? "")).toEqual({
      ok: true,
      value: { server: "notes", returnTo, isAuthorized: false },
    });
    await connect("usr_1");
    expect(await firstConnection(database, asked)).toBeNull();
    expect(await firstConnection(database, { ...asked, owner: null })).toBeNull();
    const direct = { ...asked, resource: { kind: "sampling", tenant: "acme" } as const };
    expect(await firstConnection(database, direct)).toBeNull();
    // A refusal at the refresh leads the person there again.
    now += hourMs;
    fault = "invalid_grant";
    expect(await bearer(as("usr_1"))).toMatchObject({ reason: "authorization_needed" });
    expect(await firstConnection(database, asked)).toMatchObject({
      kind: "provider",
      server: "notes",
    });
  });

  it("is forgotten with the person", async () => {
    await connect("usr_1");
    await connect("usr_2");
    value(await world.stores.userTokens.forget(its.tenantId, "usr_1"));
    expect(await bearer(as("usr_1"))).toMatchObject({ reason: "authorization_needed" });
    expect(await bearer(as("usr_2"))).toBe("Bearer access of usr_2");
  });
});
