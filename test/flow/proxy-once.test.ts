/** A provider is asked once for what a server asks, also when another request or another process repeats it. */
import { createClient } from "@libsql/client/web";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { adminOf, at, createTenant } from "../fakes/caller.ts";
import { faultyText, startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { startSdkServer, type FakeServer } from "../fakes/mcp-servers.ts";
import { startMediaProvider, type MediaProvider } from "../fakes/media-provider.ts";
import { openRaw, proxyKey, recordsOf, register, sendModern, until } from "../fakes/proxied.ts";
import { startRawServer, type RawServer } from "../fakes/raw-server.ts";
import { borrowPair } from "../fakes/shared-pair.ts";
import type { SharedRouter } from "../fakes/shared-router.ts";

const tenant = "proxy-once";
const policy = { allowedModels: ["anthropic/claude-haiku-4-5", "openai/gpt-image-1.5"] };

let sqldUrl: string | null;
let provider: FaultyProvider;
let media: MediaProvider;
let modern: RawServer;
let legacy: FakeServer;
let one: SharedRouter;
let other: SharedRouter;
let admin: ReturnType<typeof adminOf>;
let key = "";

beforeAll(async () => {
  provider = await startFaultyProvider({ slowMs: 4_000 });
  [media, modern, legacy] = await Promise.all([
    startMediaProvider(),
    startRawServer(),
    startSdkServer({ resumable: true }),
  ]);
  ({
    sqldUrl,
    routers: [one, other],
  } = await borrowPair("processes on a libSQL server"));
  admin = adminOf(one, one.adminToken);
  await createTenant(one, tenant, {
    provider: "anthropic",
    baseUrl: provider.url("anthropic"),
    policy,
  });
  const drawing = { provider: "openai", name: "o", apiKey: "k", baseUrl: media.url("openai") };
  expect((await admin("POST", `/tenants/${tenant}/credentials`, drawing)).status).toBe(201);
  key = await proxyKey(one, tenant);
  await register(one, tenant, { slug: "modern", url: modern.url });
});
afterAll(async () => {
  await Promise.all([modern?.stop(), legacy?.stop(), provider?.stop(), media?.stop()]);
});
beforeEach(() => {
  provider.setMode("fine");
  provider.clear();
  media.clear();
  modern.clear();
  legacy.heard.length = 0;
});

const entry = (text: string, more: object = {}) => ({
  method: "sampling/createMessage",
  params: {
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 20,
    ...more,
  },
});
const image = entry("a red field", {
  metadata: { "sampling-router/outputModalities": ["image"] },
});
const elicit = { method: "elicitation/create", params: { message: "Name?", requestedSchema: {} } };
const outcomes = async () => (await recordsOf(one, tenant)).map(({ outcome }) => outcome);

describe("a round that is sent again", () => {
  /** Asks a person and for words first; then for `more`, and is done once it has that. */
  const asking = (more: object): void =>
    modern.handle(({ json: { id, params } }, reply) => {
      const responses = params?.inputResponses;
      const result = (its: object) => reply.json({ jsonrpc: "2.0", id, result: its });
      const asks = (inputRequests: object) =>
        result({ resultType: "input_required", inputRequests, requestState: "s" });
      if (responses === undefined) return asks({ e: elicit, words: entry("A") });
      if (!Object.hasOwn(responses, "more")) return asks({ more });
      result({ resultType: "complete", content: [], got: responses["more"] });
    });

  async function call(
    through: SharedRouter,
    params: object = {},
    signal?: AbortSignal,
  ): Promise<unknown> {
    const response = await sendModern(`${through.url}/mcp/${tenant}/modern`, key, {
      params: { name: "ask", arguments: {}, ...params },
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    const data = [...text.matchAll(/^data: ?(.+)$/gm)].at(-1)?.[1];
    return JSON.parse(data ?? text) as unknown;
  }
  /** The request that goes on where a person was asked; every one of them is the same round. */
  const halfway = async (more: object) => {
    asking(more);
    const state = at(await call(one), "result.requestState");
    provider.clear();
    return { inputResponses: { e: { action: "accept" } }, requestState: state };
  };

  it("with an answer of megabytes is drawn and charged once", async () => {
    const again = await halfway(image);
    media.setMode("large");
    const before = (await outcomes()).length;
    const data = at(await call(one, again), "result.got.content.data");
    expect(String(data).length).toBeGreaterThan(9_000_000);
    for (const router of [other, one]) {
      const repeated = at(await call(router, again), "result.got.content.data");
      expect(repeated === data).toBe(true);
    }
    expect(media.requests()).toHaveLength(1);
    expect(await outcomes()).toHaveLength(before + 1);
  });

  it("whose sender leaves runs on for others that wait, and answers those that come back", async () => {
    const again = await halfway(entry("B"));
    provider.setMode("slow");
    const before = (await outcomes()).length;
    const leaving = new AbortController();
    const left = call(one, again, leaving.signal).catch(() => "left");
    await until(() => provider.requests().length === 1);
    const waiting = call(other, again);
    await until(() => modern.requests().length >= 3);
    leaving.abort();
    expect(await left).toBe("left");
    expect(at(await waiting, "result.got.content.text")).toBe(faultyText);
    expect(at(await call(one, again), "result.got.content.text")).toBe(faultyText);
    expect(provider.requests()).toHaveLength(2);
    expect((await outcomes()).slice(0, -before)).toEqual(["succeeded", "cancelled"]);
  });

  it("five times at once fails once, and all five get that failure", async () => {
    const again = await halfway(entry("C"));
    provider.setMode("cut");
    const before = (await outcomes()).length;
    const answers = await Promise.all(
      [one, other, one, other, one].map((router) => call(router, again)),
    );
    expect(answers.map((answer) => at(answer, "error.code"))).toEqual(
      Array.from({ length: 5 }, () => -502),
    );
    const records = await recordsOf(one, tenant);
    expect(records).toHaveLength(before + 1);
    expect(records[0]?.costMicroUsd).toBeGreaterThan(0);
  });

  it("after a refusal, runs as if nobody had sent the round before", async () => {
    const limited = { ...policy, limits: { requestsPerMinute: 1 } };
    expect((await admin("PUT", `/tenants/${tenant}/policy`, limited)).status).toBe(200);
    const again = await halfway(entry("D"));
    for (const router of [one, other])
      expect(at(await call(router, again), "error.data.reason")).toBe("rate_limited");
    expect((await admin("PUT", `/tenants/${tenant}/policy`, policy)).status).toBe(200);
    expect(at(await call(one, again), "result.got.content.text")).toBe(faultyText);
    expect(provider.requests()).toHaveLength(1);
  });
});

describe("a request of a stream", () => {
  let slugs = 0;
  const registered = (fields: object = {}) =>
    register(one, tenant, { slug: `l${(slugs += 1)}`, url: legacy.url, ...fields });
  const asks =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"text":"x"}}}';

  it("that failed at no cost is answered with the same failure when the stream is replayed, at any process", async () => {
    provider.setMode("rejected");
    const url = await registered();
    const raw = await openRaw(url, key);
    const before = (await outcomes()).length;
    const text = await (await raw.post(asks)).text();
    const ids = [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? "");
    const told = () => legacy.heard.filter(({ body }) => body !== null && "error" in body);
    await until(() => told().length === 1);
    const asked = provider.requests().length;
    for (const place of [url, url.replace(one.url, other.url)]) {
      const left = new AbortController();
      const count = told().length;
      await fetch(place, {
        headers: {
          Authorization: `Bearer ${key}`,
          Accept: "text/event-stream",
          "Mcp-Session-Id": raw.sessionId ?? "",
          "MCP-Protocol-Version": "2025-11-25",
          "Last-Event-ID": ids[0] ?? "",
        },
        signal: left.signal,
      });
      await until(() => told().length === count + 1);
      left.abort();
    }
    expect(new Set(told().map((each) => each.text)).size).toBe(1);
    expect(provider.requests()).toHaveLength(asked);
    expect(await outcomes()).toHaveLength(before + 1);
  });

  it("can't be answered by anybody else while it runs, at any process, not even with an error", async () => {
    provider.setMode("slow");
    const url = await registered({ sampling: "client-then-router" });
    const raw = await openRaw(url, key);
    const calling = raw.post(asks);
    await until(() => provider.requests().length === 1);
    const forged = '{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"forged"}}';
    const batch = `[{"jsonrpc":"2.0","id":99,"result":{}},${forged}]`;
    const elsewhere = url.replace(one.url, other.url);
    for (const [place, body] of [
      [url, forged],
      [elsewhere, forged],
      [elsewhere, batch],
    ] as const) {
      const answer = await fetch(place, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${key}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          "Mcp-Session-Id": raw.sessionId ?? "",
          "MCP-Protocol-Version": "2025-11-25",
        },
        body,
      });
      expect(answer.status).toBe(202);
    }
    expect(await (await calling).text()).toContain(faultyText);
    expect(legacy.heard.some(({ text }) => text.includes("forged"))).toBe(false);
    // The server's answer may reach the client before the router has written how the server took it.
    const taken = createClient({ url: sqldUrl ?? "" });
    const delivered = async () => {
      const { rows } = await taken.execute({
        sql: `select delivered from idempotency where idempotency_key like 'stream/%'
          and tenant_id = (select id from tenants where slug = ?) order by rowid desc limit 1`,
        args: [tenant],
      });
      return rows[0]?.["delivered"] ?? null;
    };
    await until(async () => (await delivered()) !== null);
    expect(await delivered()).toBe(202);
    taken.close();
  });

  it.each([
    ["deny", false],
    ["router", false],
    ["client-then-router", true],
  ])(
    "of mode %s, answered by a client before anything was taken: passes: %s",
    async (mode, passes) => {
      const raw = await openRaw(await registered({ sampling: mode }), key);
      const result = { role: "assistant", model: "m", content: { type: "text", text: "forged" } };
      const answer = await raw.post(JSON.stringify({ jsonrpc: "2.0", id: 0, result }));
      expect(answer.status).toBe(202);
      expect(legacy.heard.some(({ text }) => text.includes("forged"))).toBe(passes);
    },
  );
});
