/** Tokens for registered servers over a real database: several isolates, one refresh token. */
import { beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../src/crypto/hashes.ts";
import { createVault } from "../../src/crypto/vault.ts";
import { createIds } from "../../src/domain/tenancy/ids.ts";
import {
  unreachable,
  type Oauth,
  type OauthFault,
  type OauthGrant,
} from "../../src/domain/servers/oauth.ts";
import { err, ok } from "../../src/domain/result.ts";
import { tokenOf, type SealedServer } from "../../src/domain/servers/server.ts";
import type { Stores } from "../../src/domain/ports/stores.ts";
import { createUpstreamHeaders } from "../../src/pipeline/servers/upstream-headers.ts";
import { inlineBackend } from "../setup/inline-backend.ts";
import { event, oauthServer, start, tenant } from "./store/fixtures.ts";
import { givenWorld, storesOn, value } from "./store/open.ts";

const randomBytesOf = (count: number) => crypto.getRandomValues(new Uint8Array(count));
const hourMs = 3_600_000;

/** A gate that a test opens when it is time. */
function gate() {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

describe("headers for a registered server", () => {
  const world = givenWorld(inlineBackend());
  let now = start;
  let vault: Awaited<ReturnType<typeof createVault>>;
  let its: SealedServer;
  /** The one refresh token that is good, as a strict authorization server sees it. */
  let good = 0;
  let asked: string[] = [];
  let answering: Promise<void>[] = [];
  let fault: OauthFault | null = null;

  const grant = (count: number, expiresAt: number): OauthGrant => ({
    accessToken: `access-${count}`,
    expiresAt,
    refreshToken: `refresh-${count}`,
    issuer: "https://login.test",
    tokenEndpoint: "https://login.test/token",
    resource: "https://server.test/mcp",
    authentication: "none",
    scopes: [],
  });
  const oauth: Oauth = {
    begin: async () => err("malformed"),
    finish: async () => err("malformed"),
    byClientCredentials: async () => err("malformed"),
    async refresh(_, { refreshToken }) {
      asked.push(refreshToken ?? "");
      const isGood = fault === null && refreshToken === `refresh-${good}`;
      if (isGood) good += 1;
      const made = grant(good, now + hourMs);
      await answering.shift();
      return isGood ? ok(made) : err(fault ?? "invalid_grant");
    },
  };
  const isolate = (stores: Stores = world.stores) =>
    createUpstreamHeaders({
      stores,
      vault,
      oauth,
      ids: createIds({ now: () => now, randomBytesOf }),
      nonce: () => crypto.randomUUID(),
      now: () => now,
      elapsed: () => now,
      // No clock is waited for here; other callers get their turn.
      ownUrl: "https://router.test",
      wait: async () => {
        now += 200;
        await new Promise((resolve) => setTimeout(resolve, 5));
      },
    });
  const hold = async (expiresAt: number) => {
    const { tenantId, id: serverId } = its;
    value(
      await world.stores.serverTokens.replace(
        {
          tenantId,
          serverId,
          sealed: await vault.seal(JSON.stringify(grant(good, expiresAt)), tokenOf(its)),
          generation: crypto.randomUUID(),
          expiresAt,
          leaseUntil: 0,
          fault: null,
        },
        { event: event(tenantId), now },
      ),
    );
  };
  const current = async () => value(await world.stores.servers.byId(its.tenantId, its.id));
  const bearer = async (of = isolate()) => {
    const headers = await of.headersFor(its, null);
    return headers.ok ? headers.value["Authorization"] : headers.error.reason;
  };

  beforeEach(async () => {
    [now, good, asked, answering, fault] = [start, 0, [], [], null];
    vault = await createVault({
      master: await sha256("master"),
      previous: null,
      randomBytesOf,
    });
    const owner = tenant();
    value(await world.stores.tenants.create(owner, event(owner.id)));
    its = oauthServer(owner.id);
    value(await world.stores.servers.create(its, event(owner.id)));
  });

  it("hold the token at hand until a minute before its end", async () => {
    await hold(start + 60_001);
    expect([await bearer(), asked]).toEqual(["Bearer access-0", []]);
    now += 1;
    expect([await bearer(), asked]).toEqual(["Bearer access-1", ["refresh-0"]]);
  });

  it("forget the scopes that the server asked for where the authorization server knows none such", async () => {
    const { tenantId, id } = its;
    value(await world.stores.servers.learn(tenantId, id, { scopes: ["made-up"], era: "legacy" }));
    await hold(start);
    fault = "invalid_grant";
    await bearer();
    expect((await current())?.learned.scopes).toEqual(["made-up"]);
    fault = "invalid_scope";
    now += hourMs;
    await bearer();
    expect((await current())?.learned).toEqual({ era: "legacy" });
  });

  it("hold one token, though two isolates find none at once", async () => {
    await hold(start);
    const both = [isolate(), isolate(storesOn(await world.again()))];
    const slow = gate();
    answering = [slow.passed];
    const bearers = Array.from({ length: 6 }, (_, at) => bearer(both[at % 2]));
    setTimeout(slow.open, 50);
    expect(await Promise.all(bearers)).toEqual(Array(6).fill("Bearer access-1"));
    expect(asked).toEqual(["refresh-0"]);
  });

  it("hold the old token for callers who come while another token is asked for, as long as the old one is good", async () => {
    await hold(start + 30_000);
    const slow = gate();
    answering = [slow.passed];
    const first = bearer();
    while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await bearer()).toBe("Bearer access-0");
    slow.open();
    expect(await first).toBe("Bearer access-1");
    expect(await bearer()).toBe("Bearer access-1");
  });

  it("lose no refresh token to an isolate that was slower than its lease", async () => {
    await hold(start);
    const slow = gate();
    answering = [slow.passed];
    const first = bearer();
    while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    now += 60_000;
    // Another caller asks with the token that it finds, and is refused.
    expect(await bearer()).toBe("server_unauthorized");
    expect((await current())?.status).toBe("failing");
    slow.open();
    expect(await first).toBe("Bearer access-1");
    now += hourMs;
    expect(await bearer()).toBe("Bearer access-2");
    expect(asked).toEqual(["refresh-0", "refresh-0", "refresh-1"]);
  });

  it("call nobody failing for a refusal that a newer token explains", async () => {
    await hold(start);
    const slow = gate();
    answering = [slow.passed];
    good = 7;
    const first = bearer();
    while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    // A person authorizes anew while the old refresh token is being refused.
    await hold(start + hourMs);
    slow.open();
    expect(await first).toBe("Bearer access-7");
    expect((await current())?.status).toBe("active");
  });

  it("are stored even if the database is out of reach for a moment", async () => {
    await hold(start);
    let down = 3;
    const { serverTokens } = world.stores;
    const flaky: Stores = {
      ...world.stores,
      serverTokens: {
        ...serverTokens,
        save: async (...about) =>
          down-- > 0
            ? err({ reason: "unavailable", retryAfterMs: 1 } as const)
            : serverTokens.save(...about),
      },
    };
    expect(await bearer(isolate(flaky))).toBe("Bearer access-1");
    now += hourMs;
    expect(await bearer()).toBe("Bearer access-2");
  });

  it("are refused after a refusal without asking, until it may be asked again", async () => {
    await hold(start);
    fault = "invalid_grant";
    for (let count = 0; count < 3; count += 1) expect(await bearer()).toBe("server_unauthorized");
    expect(asked).toHaveLength(1);
    fault = null;
    now += 30_000;
    expect(await bearer()).toBe("Bearer access-1");
  });

  it("are asked for again at once where the refusal is of a clock that was set back", async () => {
    await hold(start - 2 * hourMs);
    fault = "invalid_grant";
    expect(await bearer()).toBe("server_unauthorized");
    fault = null;
    now -= hourMs;
    expect(await bearer()).toBe("Bearer access-1");
  });

  it("mark no server whose authorization server is only out of reach, and use what is still good", async () => {
    await hold(start + 30_000);
    fault = unreachable("idp.example:443: the connection was refused");
    expect(await bearer()).toBe("Bearer access-0");
    now += 30_000;
    expect(await bearer()).toBe("server_unauthorized");
    expect((await current())?.status).toBe("active");
  });

  it("forget a refused token, and not the newer one that another isolate has got", async () => {
    await hold(start + hourMs);
    const sent = value(await isolate().headersFor(its, null));
    value(await isolate().onUnauthorized(its, { caller: null, sent }));
    expect(await bearer()).toBe("Bearer access-1");
    value(await isolate().onUnauthorized(its, { caller: null, sent }));
    expect(await bearer()).toBe("Bearer access-1");
    expect(asked).toEqual(["refresh-0"]);
    const page = { cursor: null, limit: 9 };
    const { data } = value(await world.stores.events.list(its.tenantId, page));
    expect(data.filter(({ action }) => action === "server.unauthorized")).toHaveLength(1);
  });

  it("open for no other origin and for no other server", async () => {
    await hold(start + hourMs);
    const moved = { ...its, url: "https://elsewhere.test/mcp" };
    const headers = await isolate().headersFor(moved, null);
    expect(headers).toMatchObject({ ok: false, error: { reason: "server_unauthorized" } });
    expect(asked).toEqual([]);
  });
});
