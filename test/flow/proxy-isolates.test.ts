/** The proxy as several processes, or isolates, over one database: sessions, cancellations and records are everybody's. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTenant } from "../fakes/caller.ts";
import { faultyText, startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { startScriptedServer, startSdkServer, type FakeServer } from "../fakes/mcp-servers.ts";
import { openRaw, proxyKey, recordsOf, register, until } from "../fakes/proxied.ts";
import { startSdkServer as startSdkV2Server } from "../fakes/sdk-server.ts";
import { messagesOf } from "../fakes/sse-messages.ts";
import { borrowPair } from "../fakes/shared-pair.ts";
import type { SharedRouter } from "../fakes/shared-router.ts";
import { sharing } from "../setup/shared-settings.ts";
import { z } from "zod";

const tenant = "proxy-isolates";
const asks = (id: number): string =>
  `id: ${id}\ndata: {"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":10}}\n\n`;

describe.each(sharing)("two %s", (how) => {
  let provider: FaultyProvider;
  let server: FakeServer;
  let one: SharedRouter;
  let other: SharedRouter;
  let key = "";
  let url = "";
  let elsewhere = "";

  beforeAll(async () => {
    provider = await startFaultyProvider({ slowMs: 20_000 });
    // Asks once in every stream, and doesn't care who takes what back.
    server = await startScriptedServer((heard, response) => {
      const { method, params, id } = (heard.body ?? {}) as Record<string, Record<string, unknown>>;
      if (String(method) === "initialize") {
        const { protocolVersion } = params ?? {};
        const serverInfo = { name: "s", version: "1" };
        const result = { protocolVersion, capabilities: {}, serverInfo };
        response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s-1" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      } else if (String(method) === "tools/call") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(asks(Number(id)));
      } else if (heard.method === "GET" && heard.headers["last-event-id"] !== undefined) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(asks(Number(heard.headers["last-event-id"])));
      } else response.writeHead(heard.method === "GET" ? 405 : 202).end();
    });
    ({
      routers: [one, other],
    } = await borrowPair(how));
    await createTenant(one, tenant, {
      provider: "openai-compatible",
      baseUrl: provider.url("openai-compatible"),
      models: [{ id: "m", inputUsdPerMTok: 1, outputUsdPerMTok: 1 }],
    });
    key = await proxyKey(one, tenant);
    url = await register(one, tenant, { slug: "s", url: server.url });
    elsewhere = url.replace(one.url, other.url);
  });
  afterAll(async () => {
    await Promise.all([server?.stop(), provider?.stop()]);
  });

  const headersOf = (more: Record<string, string> = {}) => ({
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "Mcp-Session-Id": "s-1",
    "MCP-Protocol-Version": "2025-11-25",
    ...more,
  });
  const answers = () =>
    server.heard.flatMap(({ body }) => (body !== null && !("method" in body) ? [body] : []));

  it("answer a question that the other one asked, once", async () => {
    const modern = await startSdkV2Server();
    const [here, there] = await Promise.all(
      [one, other].map(async ({ url: base }) => {
        const slug = "modern";
        if (base === one.url) await register(one, tenant, { slug, url: modern.url });
        return `${base}/mcp/${tenant}/${slug}`;
      }),
    );
    const client = await openRaw(here ?? "", key, { capabilities: { elicitation: {} } });
    const call = { name: "person-first", arguments: { q: "hi" } };
    const messages = messagesOf(await client.request("call", "tools/call", call));
    const question = (await messages.next()).value;
    expect(question).toMatchObject({ method: "elicitation/create" });
    const said = (name: string) => ({
      method: "POST",
      headers: headersOf({ "Mcp-Session-Id": client.sessionId ?? "" }),
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: question?.id,
        result: { action: "accept", content: { name } },
      }),
    });
    const answered = await Promise.all(
      ["Ada", "Bob", "Cyd"].map((name, at) => fetch((at === 1 ? here : there) ?? "", said(name))),
    );
    expect(answered.map(({ status }) => status)).toEqual([202, 202, 202]);
    const result = JSON.stringify((await messages.next()).value);
    expect(result.match(/Ada|Bob|Cyd/g)).toHaveLength(1);
    const asked = messagesOf(await client.request("ended", "tools/call", call));
    expect((await asked.next()).value).toMatchObject({ method: "elicitation/create" });
    const headers = headersOf({ "Mcp-Session-Id": client.sessionId ?? "" });
    await fetch(there ?? "", { method: "DELETE", headers });
    expect((await asked.next()).value).toMatchObject({ method: "notifications/cancelled" });
    const { error } = (await asked.next()).value ?? {};
    expect(error).toMatchObject({ data: { reason: "session_not_found" } });
    await modern.stop();
  });

  it("hand the GET stream on: a process whose requests need the stream opens it when the other process is done", async () => {
    provider.setMode("fine");
    const gates = new Map<string, () => void>();
    const sdk = await startSdkServer({
      build: (built) =>
        void built.registerTool("ask", { inputSchema: { text: z.string() } }, async ({ text }) => {
          await new Promise<void>((resolve) => void gates.set(text, resolve));
          // What is sent between two streams is lost, so the server asks until it gets an answer.
          const max = text === "first" ? 0 : 20;
          for (let tries = 0; tries < max; tries += 1) {
            const messages = [{ role: "user" as const, content: { type: "text" as const, text } }];
            const asked = built.server.createMessage({ messages, maxTokens: 9 }, { timeout: 700 });
            const said = await asked.then(JSON.stringify, () => null);
            if (said !== null) return { content: [{ type: "text", text: said }] };
          }
          return { content: [{ type: "text", text: "unheard" }] };
        }),
    });
    const at = await register(one, tenant, { slug: "handed", url: sdk.url });
    const raw = await openRaw(at, key);
    const call = (to: string, id: number, text: string): Promise<Response> =>
      fetch(to, {
        method: "POST",
        headers: headersOf({ "Mcp-Session-Id": raw.sessionId ?? "" }),
        body: JSON.stringify({
          jsonrpc: "2.0",
          id,
          method: "tools/call",
          params: { name: "ask", arguments: { text } },
        }),
      });
    const first = call(at, 1, "first");
    await until(() => gates.has("first"));
    const second = call(at.replace(one.url, other.url), 2, "second");
    await until(() => gates.has("second"));
    gates.get("first")?.();
    expect(await (await first).text()).toContain("unheard");
    gates.get("second")?.();
    expect(await (await second).text()).toContain(faultyText);
    await sdk.stop();
  });

  it("end a sampling call when its client cancels the request at another process", async () => {
    provider.setMode("slow");
    provider.clear();
    const raw = await openRaw(url, key);
    const calling = await raw.request(41, "tools/call", { name: "t" });
    await until(() => provider.requests().length === 1);
    const notice = await fetch(elsewhere, {
      method: "POST",
      headers: headersOf(),
      body: '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":41}}',
    });
    expect(notice.status).toBe(202);
    // Long before the provider would answer.
    await until(async () => (await recordsOf(one, tenant))[0]?.outcome === "cancelled");
    // The server still waits, and gets the answer.
    await until(() => answers().some(({ id }) => id === 41));
    expect(answers().find(({ id }) => id === 41)).toMatchObject({ error: { code: -499 } });
    await calling.body?.cancel();
  });

  it("answer a replayed request once, in whichever process it arrives", async () => {
    provider.setMode("fine");
    provider.clear();
    const before = (await recordsOf(one, tenant)).length;
    const streams = await Promise.all(
      [url, elsewhere, url, elsewhere].map((each) =>
        fetch(each, { headers: headersOf({ "Last-Event-ID": "42" }) }),
      ),
    );
    // What is left of the event arrives, in every process.
    for (const stream of streams) {
      const first = await stream.body?.getReader().read();
      expect(Buffer.from(first?.value ?? []).toString()).toBe("id: 42\ndata:\n\n");
    }
    await until(() => answers().some(({ id }) => id === 42));
    expect(JSON.stringify(answers().find(({ id }) => id === 42))).toContain(faultyText);
    await until(async () => (await recordsOf(one, tenant))[0]?.outcome === "succeeded");
    expect(provider.requests()).toHaveLength(1);
    expect(await recordsOf(one, tenant)).toHaveLength(before + 1);
  });
});
