/** Messages that sample nothing, as a client of either era sends them to a server, and what their right answers hold. */
import { Agent, request } from "node:http";
import type { Call } from "./calls.ts";

export const proxiedKinds = [
  "legacy-json",
  "legacy-stream",
  "modern-json",
  "modern-stream",
] as const;
export type ProxiedKind = (typeof proxiedKinds)[number];

/** Where messages are sent. */
export interface Place {
  url: string;
  /** of the router; null: the place knows no keys */
  key: string | null;
}

/** A message, or its answer, ready for the wire. */
export interface Proxied {
  headers: Record<string, string>;
  body: Call["body"];
  /** Whether a text answers what was asked. */
  isAnswer(asked: { id: number; nonce: string }, text: string): boolean;
}

const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
};

const toolOf = (kind: ProxiedKind): string => kind.slice(kind.indexOf("-") + 1);
const isModern = (kind: ProxiedKind): boolean => kind.startsWith("modern");

const basic = (key: string | null): Record<string, string> => ({
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
  ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
});

export interface Exchanged {
  /** ms from the beginning */
  firstMs: number;
  lastMs: number;
  text: string;
  headers: Record<string, unknown>;
}

/** One exchange on a connection that is kept. */
export function exchange(
  at: { url: string; agent: Agent; headers: Record<string, string> },
  body: string,
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const sent = request(
      at.url,
      {
        agent: at.agent,
        method: "POST",
        headers: { ...at.headers, "Content-Length": Buffer.byteLength(body) },
        timeout: 20_000,
      },
      (response) => {
        let firstMs = 0;
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => {
          if (firstMs === 0) firstMs = performance.now() - began;
          text += part;
        });
        response.on("error", reject);
        response.on("end", () =>
          resolve({ firstMs, lastMs: performance.now() - began, text, headers: response.headers }),
        );
      },
    );
    sent.on("timeout", () => sent.destroy(new Error("no answer in time")));
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Begins a session where the era has one. */
async function eraHeaders({ url, key }: Place, kind: ProxiedKind): Promise<Record<string, string>> {
  if (isModern(kind))
    return {
      ...basic(key),
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": toolOf(kind),
    };
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  };
  const answer = await exchange(
    { url, agent: new Agent(), headers: basic(key) },
    JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
  );
  const session = answer.headers["mcp-session-id"];
  if (typeof session !== "string") throw new Error(`no session: ${answer.text}`);
  return { ...basic(key), "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25" };
}

export async function proxied(place: Place, kind: ProxiedKind): Promise<Proxied> {
  const name = toolOf(kind);
  const meta = isModern(kind) ? { _meta: modernMeta } : {};
  return {
    headers: await eraHeaders(place, kind),
    body: ({ id, nonce }) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name, arguments: { nonce }, ...meta },
      }),
    isAnswer: ({ id, nonce }, text) => text.includes(`"id":${id},`) && text.includes(`${nonce}: `),
  };
}

/** The same as a call of the load generator, which measures whole answers. */
export async function proxiedCall(place: Place, kind: ProxiedKind): Promise<Call> {
  const { headers, body, isAnswer } = await proxied(place, kind);
  return {
    path: "",
    headers,
    body,
    check(asked, { status, text }) {
      if (status !== 200 || !isAnswer(asked, text))
        throw new Error(`not this message's answer, in ${status}: ${text.slice(0, 400)}`);
      return null;
    },
  };
}

/** A tenant with a model, a key for the proxy, and that server. */
export async function registerServer(
  router: { url: string; adminToken: string },
  serverUrl: string,
): Promise<Place> {
  const admin = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${router.url}/admin/v1${path}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${router.adminToken}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const at = "/tenants/proxied";
  await admin("/tenants", { slug: "proxied", name: "Bench" });
  await admin(`${at}/credentials`, { provider: "demo", name: "demo", apiKey: "none" });
  await admin(`${at}/servers`, { slug: "s", url: serverUrl, sampling: "router" });
  const made = await admin(`${at}/keys`, { name: "bench", scopes: ["proxy"] });
  return { url: `${router.url}/mcp/proxied/s`, key: String(made["key"]) };
}
