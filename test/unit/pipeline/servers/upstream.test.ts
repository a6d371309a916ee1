/** What goes to a registered server, what comes back, and what does neither. */
import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { dataOf } from "../../../../src/domain/refusals.ts";
import { err, ok } from "../../../../src/domain/result.ts";
import type { SealedServer } from "../../../../src/domain/servers/server.ts";
import type { UpstreamFetch, UpstreamRequest } from "../../../../src/domain/ports/upstream.ts";
import { server as serverWith } from "../../proxy/exchange.fixture.ts";
import { createUpstream } from "../../../../src/pipeline/servers/upstream.ts";

const entry = serverWith({ slug: "s", url: "https://server.test/mcp" });
const oauth = { grant: "client_credentials" } as NonNullable<SealedServer["oauth"]>;

function given(
  fetch: UpstreamFetch,
  after: Parameters<typeof createUpstream>[0]["after"] = never,
  allowPrivate = false,
) {
  const told: string[] = [];
  let tokens = 0;
  const send = createUpstream({
    fetch,
    after,
    allowPrivate,
    ownOrigins: ["https://router.test"],
    credentials: {
      headersFor: async () => ok({ Authorization: `Bearer ${(tokens += 1)}` }),
      onUnauthorized: async (_server, { sent }) => {
        told.push(`unauthorized ${sent?.["Authorization"]}`);
        return ok(null);
      },
      onForbidden: async (_server, { challenge, isFirst }) => {
        told.push(`forbidden ${challenge}`);
        return ok(challenge !== null && isFirst ? "again" : "pass");
      },
      onRefusedAgain: async () =>
        err({ reason: "server_unauthorized", detail: "It answered 401." } as const),
      onAuthorized: async () => {
        told.push("authorized");
        return ok(null);
      },
    },
  });
  return {
    told,
    send: (change: Partial<Parameters<typeof send>[0]> = {}) =>
      send({
        server: entry,
        caller: { session: null, snapshot: { tenant: { slug: "t" } } },
        method: "POST",
        headers: new Headers(),
        authorization: null,
        body: "{}",
        signal: new AbortController().signal,
        timeoutMs: 1_000,
        ...change,
      }),
  };
}

/** A timer that never runs out. */
const never = () => () => undefined;
const hangs: UpstreamFetch = ({ signal }) =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(new Error("aborted"));
    signal.addEventListener("abort", () => reject(new Error("aborted")));
  });

describe("a request to a server", () => {
  it.each([
    [[], {}],
    [["X-Other"], { "x-other": "kept" }],
  ])(
    "has the client's headers that may go on, and the entry's own: %j",
    async (passHeaders, more) => {
      const seen: UpstreamRequest[] = [];
      const { send } = given(async (request) => {
        seen.push(request);
        return new Response("{}", { headers: { "Content-Type": "application/json" } });
      });
      const headers = new Headers({
        accept: "text/event-stream",
        "mcp-session-id": "s",
        "last-event-id": "7",
        "mcp-param-x": "1",
        "x-other": "kept",
        authorization: "Bearer srk_key_secret",
        "x-sampling-router-key": "srk_key_secret",
        cookie: "a=b",
        connection: "close, X-Hop",
        "x-hop": "gone",
        "x-forwarded-for": "10.0.0.1",
        "cf-ray": "1",
        x_forwarded_for: "10.0.0.1",
        Mcp_Session_Id: "another",
        AUTHORIZATION_: "kept",
        X_Sampling_Router_Key: "srk_key_secret",
        "x-original-url": "/elsewhere",
        "x-http-method-override": "DELETE",
      });
      await send({ headers, server: { ...entry, passHeaders } });
      expect(seen[0]?.headers).toEqual({
        accept: "text/event-stream",
        "mcp-session-id": "s",
        "last-event-id": "7",
        "mcp-param-x": "1",
        "user-agent": "sampling-router",
        "x-sampling-router-hops": "1",
        authorization: "Bearer 1",
        ...more,
      });
    },
  );

  it("with a coded body is refused where the server would not get the coding's name", async () => {
    const bytes = new Uint8Array([31, 139]);
    const coded = { body: bytes, headers: new Headers({ "Content-Encoding": "gzip" }) };
    const seen: UpstreamRequest[] = [];
    const { send } = given(async (request) => {
      seen.push(request);
      return new Response(null, { status: 202 });
    });
    expect(await send(coded)).toMatchObject({ error: { reason: "unsupported_media_type" } });
    expect(seen).toEqual([]);
    const server = { ...entry, passHeaders: ["content-encoding"] };
    expect((await send({ ...coded, server })).ok).toBe(true);
    expect(seen[0]).toMatchObject({ body: bytes, headers: { "content-encoding": "gzip" } });
    // A body that the router writes under a client's headers is text.
    expect((await send({ ...coded, body: "{}" })).ok).toBe(true);
    const plain = { body: bytes, headers: new Headers({ "Content-Encoding": "identity" }) };
    expect((await send(plain)).ok).toBe(true);
  });

  it("is tried once more with another token where the router is an OAuth client", async () => {
    const sent: (string | undefined)[] = [];
    const fetch: UpstreamFetch = async ({ headers }) => {
      sent.push(headers["authorization"]);
      return new Response(null, { status: sent.length < 2 ? 401 : 200 });
    };
    const good = given(fetch);
    expect((await good.send({ server: { ...entry, oauth, status: "failing" } })).ok).toBe(true);
    expect(sent).toEqual(["Bearer 1", "Bearer 2"]);
    expect(good.told).toEqual(["unauthorized Bearer 1", "authorized"]);

    const bad = given(async () => new Response(null, { status: 401 }));
    expect(await bad.send({ server: { ...entry, oauth } })).toMatchObject({
      error: { reason: "server_unauthorized" },
    });
    expect(bad.told).toEqual(["unauthorized Bearer 1", "unauthorized Bearer 2"]);
    const fixed = given(async () => new Response(null, { status: 401 }));
    await fixed.send();
    expect(fixed.told).toEqual(["unauthorized Bearer 1"]);
  });

  it("that was refused with the caller's own header says so, and does not mark the entry", async () => {
    const server = { ...entry, forwardAuthorization: true };
    const refused = given(async () => new Response(null, { status: 401 }));
    const own = await refused.send({ server, authorization: "Basic abc" });
    expect(own).toMatchObject({ error: { reason: "server_unauthorized" } });
    expect(JSON.stringify(own)).toContain("the caller's own Authorization header");
    expect(JSON.stringify(own)).not.toContain("abc");
    const without = await refused.send({ server });
    expect(JSON.stringify(without)).toContain("X-Sampling-Router-Key");
    expect(refused.told).toEqual([]);
  });

  it("goes nowhere that an entry may not name, whenever the entry was written", async () => {
    const seen: string[] = [];
    const fetch: UpstreamFetch = async ({ url }) => {
      seen.push(url);
      return new Response("{}", { headers: { "Content-Type": "application/json" } });
    };
    for (const url of ["http://server.test/mcp", "https://10.0.0.1/mcp", "https://[::1]/mcp"]) {
      const server = { ...entry, url };
      const refused = await given(fetch).send({ server });
      if (refused.ok) throw new Error("the address was called");
      expect(dataOf(refused.error)).toEqual({
        reason: "server_failed",
        serverStatus: null,
        retryable: false,
      });
      expect(seen).toEqual([]);
      expect((await given(fetch, never, true).send({ server })).ok).toBe(true);
      expect(seen.splice(0)).toEqual([url]);
    }
  });

  it("ends in time, by its caller, or by what it met", async () => {
    const atOnce = (_ms: number, act: () => void) => {
      act();
      return () => undefined;
    };
    expect(await given(hangs, atOnce).send()).toMatchObject({
      error: {
        reason: "server_timeout",
        detail: "server.test:443: the request timed out.",
      },
    });
    const left = new AbortController();
    const leaving = given(hangs).send({ signal: left.signal });
    left.abort();
    expect(await leaving).toMatchObject({ error: { reason: "cancelled" } });
    const down = given(async () => {
      throw new TypeError("refused at https://user:secret@10.0.0.1 Bearer 1");
    });
    expect(await down.send()).toEqual({
      ok: false,
      error: {
        reason: "server_failed",
        serverStatus: null,
        detail: expect.stringMatching(/^It can't be reached: [a-z.]+:443: the connection failed/),
      },
    });
    const away = given(
      async () => new Response(null, { status: 302, headers: { location: "/x" } }),
    );
    expect(await away.send()).toMatchObject({ error: { serverStatus: 302 } });
  });
});

describe("a request that may have come from a router", () => {
  const asked = async (count: string | null, url = entry.url) => {
    const seen: UpstreamRequest[] = [];
    const { send } = given(async (request) => {
      seen.push(request);
      return new Response("{}", { headers: { "Content-Type": "application/json" } });
    });
    const headers = new Headers(count === null ? {} : { "X-Sampling-Router-Hops": count });
    const sent = await send({ server: { ...entry, url }, headers });
    return { sent, counts: seen.map(({ headers: said }) => said["x-sampling-router-hops"]) };
  };

  it.each([
    [null, "1"],
    ["0", "1"],
    ["1", "2"],
    ["2", "3"],
  ])("is sent on and counted: %s", async (count, next) => {
    expect(await asked(count)).toMatchObject({ sent: { ok: true }, counts: [next] });
  });

  it.each(["3", "4", "999", "1000000", "-1", "1, 1", "", "one", "0x1", "1.0"])(
    "is refused at the fourth router, and where the count can't be read: %j",
    async (count) => {
      expect(await asked(count)).toMatchObject({
        sent: { ok: false, error: { reason: "loop_detected" } },
        counts: [],
      });
    },
  );

  it("is never sent to the router itself, though the entry is older than that rule", async () => {
    expect(await asked(null, "https://router.test/mcp/acme/other")).toMatchObject({
      sent: { ok: false, error: { reason: "loop_detected" } },
      counts: [],
    });
  });
});

describe("the signal of a request", () => {
  it.each<[string, UpstreamFetch]>([
    ["has no body", async () => new Response(null, { status: 202 })],
    ["has a body that nobody reads", async () => new Response("Accepted", { status: 202 })],
    ["is a redirect", async () => new Response("Moved", { status: 302 })],
    ["never comes", () => Promise.reject(new Error("gone"))],
  ])("has no listener any more where the answer %s", async (_, fetch) => {
    const { signal } = new AbortController();
    await given(fetch).send({ signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("ends the answer's body while somebody reads it", async () => {
    const caller = new AbortController();
    let isEnded = false;
    const { send } = given(async ({ signal }) => {
      signal.addEventListener("abort", () => (isEnded = true));
      return new Response("{}", { headers: { "Content-Type": "application/json" } });
    });
    await send({ signal: caller.signal });
    caller.abort();
    expect(isEnded).toBe(true);
  });
});
