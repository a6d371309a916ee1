/** Plain HTTP callers of a running router: an administrator, and one that samples. */
import { expect } from "vitest";

export interface Reached {
  url: string;
}

export interface Answered {
  status: number;
  headers: Headers;
  /** parsed JSON, the message event's where it was a stream; null: none */
  body: unknown;
  /** What stands at a path of the body, such as `error.data.reason`. */
  get(path: string): unknown;
  text: string;
}

export const at = (value: unknown, path: string): unknown => {
  let found = value;
  for (const key of path.split(".")) found = (found as Record<string, unknown> | null)?.[key];
  return found;
};

/** The first piece of a body; the rest is left. */
async function firstOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value);
}

const isEventStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;

/** A JSON body, or the first event of a stream: a router that takes seconds sends comments before it answers. */
export async function answered(response: Response, given?: string): Promise<Answered> {
  const text = given ?? (await response.text());
  const data = /^data: (.*)$/m.exec(text)?.[1];
  let body: unknown = null;
  try {
    body = JSON.parse(isEventStream(response) ? (data ?? "") : text);
  } catch {
    body = null;
  }
  return {
    status: response.status,
    headers: response.headers,
    body,
    text,
    get: (path) => at(body, path),
  };
}

/** The admin API with a token. */
export const adminOf =
  ({ url }: Reached, token: string) =>
  async (
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Answered> => {
    const response = await fetch(`${url}/admin/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...more,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // A stream of the admin API stands for as long as somebody reads it.
    return isEventStream(response)
      ? answered(response, await firstOf(response))
      : answered(response);
  };

export interface SamplingCaller {
  sessionId: string | null;
  /** Sends bytes as they are. */
  send(body: BodyInit, headers?: Record<string, string>): Promise<Answered>;
  /** `sampling/createMessage`; `signal` is the caller leaving. */
  sample(params: unknown, signal?: AbortSignal): Promise<Answered>;
}

const headersOf = (key: string, more: Record<string, string>): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
  ...more,
});

let lastId = 0;

/** JSON-RPC ids that no other request of this process has, so that a cancellation means one request. */
export const nextId = (): number => (lastId += 1);

/** A legacy session. */
export async function openSession(
  { url }: Reached,
  key: string,
  about: { revision?: string; capabilities?: unknown } = {},
): Promise<SamplingCaller> {
  const revision = about.revision ?? "2025-11-25";
  const send = async (
    body: BodyInit,
    more: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Answered> =>
    answered(
      await fetch(`${url}/v1/sampling`, {
        method: "POST",
        headers: headersOf(key, more),
        body,
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  const begun = await send(
    JSON.stringify({
      jsonrpc: "2.0",
      id: nextId(),
      method: "initialize",
      params: {
        protocolVersion: revision,
        capabilities: about.capabilities ?? { sampling: {} },
        clientInfo: { name: "test", version: "1" },
      },
    }),
  );
  const sessionId = begun.headers.get("mcp-session-id");
  expect(begun.text).toContain(`"protocolVersion":"${revision}"`);
  expect(sessionId).not.toBeNull();
  const session = { "Mcp-Session-Id": sessionId ?? "", "MCP-Protocol-Version": revision };
  return {
    sessionId,
    send: (body, more = {}) => send(body, { ...session, ...more }),
    sample: (params, signal) =>
      send(
        JSON.stringify({
          jsonrpc: "2.0",
          id: nextId(),
          method: "sampling/createMessage",
          params,
        }),
        session,
        signal,
      ),
  };
}

/** What a simple request asks. */
export const asking = (text: string, more: Record<string, unknown> = {}) => ({
  messages: [{ role: "user", content: { type: "text", text } }],
  maxTokens: 50,
  ...more,
});

/** A tenant with one credential and one key. */
export async function createTenant(
  router: Reached & { adminToken: string },
  slug: string,
  about: {
    provider: string;
    apiKey?: string;
    baseUrl?: string;
    models?: unknown[];
    policy?: unknown;
    keyLimits?: unknown;
  },
): Promise<{ key: string; keyId: string; credentialId: string }> {
  const admin = adminOf(router, router.adminToken);
  expect((await admin("POST", "/tenants", { slug, name: slug })).status).toBe(201);
  const credential = await admin("POST", `/tenants/${slug}/credentials`, {
    provider: about.provider,
    name: about.provider,
    apiKey: about.apiKey ?? "provider-key",
    ...(about.baseUrl === undefined ? {} : { baseUrl: about.baseUrl }),
    ...(about.models === undefined ? {} : { models: about.models }),
  });
  expect(credential.text).toContain('"id":"cred_');
  if (about.policy !== undefined)
    expect((await admin("PUT", `/tenants/${slug}/policy`, about.policy)).status).toBe(200);
  const key = await admin("POST", `/tenants/${slug}/keys`, {
    name: "test",
    scopes: ["sampling", "tenant-admin"],
    ...(about.keyLimits === undefined ? {} : { limits: about.keyLimits }),
  });
  expect(key.status).toBe(201);
  return {
    key: String(key.get("key")),
    keyId: String(key.get("id")),
    credentialId: String(credential.get("id")),
  };
}

/** One modern request: no session, everything in it. `capabilities` null leaves `_meta` out. */
export async function callOnce(
  { url }: Reached,
  key: string,
  params: Record<string, unknown>,
  about: {
    method?: string;
    capabilities?: unknown;
    headers?: Record<string, string>;
    signal?: AbortSignal;
  } = {},
): Promise<Answered> {
  const method = about.method ?? "sampling/createMessage";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": about.capabilities ?? { sampling: {} },
  };
  return answered(
    await fetch(`${url}/v1/sampling`, {
      method: "POST",
      headers: headersOf(key, {
        Accept: "application/json",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
        ...about.headers,
      }),
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: nextId(),
        method,
        params: about.capabilities === null ? params : { ...params, _meta: meta },
      }),
      ...(about.signal === undefined ? {} : { signal: about.signal }),
    }),
  );
}

/** What `find` finds, once it does; gives up after some ten seconds. */
export async function until<T>(find: () => T | undefined): Promise<T> {
  for (let turn = 0; turn < 500; turn += 1) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("It never came.");
}
