/**
 * An OAuth 2.1 authorization server and a protected MCP server on loopback, in one process. Strict on
 * purpose: exact redirect URIs, PKCE S256 verified, the resource indicator demanded at both endpoints,
 * clients authenticated, codes good once, refresh tokens rotated, and a reused one ends its whole family.
 */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Grant {
  family: string;
  clientId: string;
  resource: string;
  scope: string;
}

interface Code extends Grant {
  redirectUri: string;
  challenge: string;
}

interface Client {
  /** null: public */
  secret: string | null;
  redirectUris: string[];
}

export interface AuthorizationServerOptions {
  /** the MCP server speaks 2026-07-28, and answers everything alike */
  isModern?: boolean;
  /** s; default 3600 */
  expiresIn?: number;
  /** RFC 9728 at the server's own path, at the root, or not at all */
  metadata?: "path" | "root" | "none";
  /** announced; default S256 alone */
  challengeMethods?: string[];
  authentication?: "client_secret_basic" | "client_secret_post";
  /** RFC 7591: clients register themselves */
  registers?: boolean;
  /** as the MCP server names them; default: this one */
  authorizationServers?: string[];
  /** the MCP server lets nobody in, while tokens are still given */
  refusesAll?: boolean;
  /** the MCP server names another scope each time */
  wantsEverMore?: boolean;
  /** by method of a message, the scope without which the MCP server answers 403 */
  scopeFor?: Record<string, string>;
  /** an id token beside each access token that no client could accept */
  idToken?: string;
  /** ms before a token is given */
  tokenDelayMs?: number;
}

export interface AuthorizationServer {
  url: string;
  /** of the MCP server */
  mcpUrl: string;
  options: AuthorizationServerOptions;
  clients: Map<string, Client>;
  /** As a person who consents (or not): where their browser is sent back to. */
  consent(authorizationUrl: string, answer?: "allow" | "deny"): Promise<string>;
  /** From now on, that access token is refused by the MCP server. */
  revokeAccess(token: string): void;
  /** Nothing granted so far is good any more. */
  revokeAll(): void;
  /** every token and code that was ever given out */
  given: string[];
  /** what was asked of the token endpoint, by grant and outcome */
  tokenCalls: { grant: string; outcome: string }[];
  /** requests to the MCP server, with what they were authorized by */
  mcpCalls: {
    authorization: string | undefined;
    headers: IncomingMessage["headers"];
    text: string;
  }[];
  stop(): Promise<void>;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
};

const json = (response: ServerResponse, status: number, body: unknown, more = {}): void => {
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    ...more,
  });
  response.end(JSON.stringify(body));
};

export async function startAuthorizationServer(
  initial: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  const options: AuthorizationServerOptions = { ...initial };
  const clients = new Map<string, Client>();
  const codes = new Map<string, Code>();
  const accesses = new Map<string, Grant>();
  const refreshes = new Map<string, Grant & { spent: boolean }>();
  const ended = new Set<string>();
  const given: string[] = [];
  const tokenCalls: { grant: string; outcome: string }[] = [];
  const mcpCalls: AuthorizationServer["mcpCalls"] = [];
  const secretText = (kind: string): string => {
    const text = `${kind}-${randomBytes(24).toString("base64url")}`;
    given.push(text);
    return text;
  };

  const metadata = () => ({
    issuer: url,
    authorization_endpoint: `${url}/authorize?audience=kept`,
    token_endpoint: `${url}/token`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
    code_challenge_methods_supported: options.challengeMethods ?? ["S256"],
    token_endpoint_auth_methods_supported: [
      options.authentication ?? "client_secret_basic",
      "none",
    ],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: ["mcp", "offline_access"],
    ...(options.registers === true && { registration_endpoint: `${url}/register` }),
  });
  const resourceMetadata = () => ({
    resource: mcpUrl,
    authorization_servers: options.authorizationServers ?? [url],
    scopes_supported: ["mcp"],
  });

  /** The client that a token request proves to be; null: none. */
  function clientIn(request: IncomingMessage, form: URLSearchParams): string | null {
    const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    const decode = (text = ""): string => decodeURIComponent(text.replaceAll("+", " "));
    const [basicId, basicSecret] =
      basic === undefined
        ? []
        : Buffer.from(basic, "base64").toString("utf8").split(":").map(decode);
    const how = options.authentication ?? "client_secret_basic";
    if (basic !== undefined && form.has("client_secret")) return null;
    const id = basicId ?? form.get("client_id");
    const client = id === null ? undefined : clients.get(id);
    if (id === null || client === undefined) return null;
    if (client.secret === null) return basic === undefined ? id : null;
    const secret = how === "client_secret_basic" ? basicSecret : form.get("client_secret");
    return secret === client.secret ? id : null;
  }

  const provenBy = (request: IncomingMessage, form: URLSearchParams): string | null => {
    try {
      return clientIn(request, form);
    } catch {
      // Not form-encoded, as RFC 6749 wants it.
      return null;
    }
  };

  function tokensFor(grant: Grant, renewable: boolean): Record<string, unknown> {
    const access = secretText("access");
    accesses.set(access, grant);
    const refresh = renewable ? secretText("refresh") : undefined;
    if (refresh !== undefined) refreshes.set(refresh, { ...grant, spent: false });
    return {
      access_token: access,
      token_type: "Bearer",
      expires_in: options.expiresIn ?? 3_600,
      scope: grant.scope,
      ...(refresh !== undefined && { refresh_token: refresh }),
      ...(options.idToken !== undefined && { id_token: options.idToken }),
    };
  }

  /** The tokens, or RFC 6749's error. */
  function exchange(clientId: string, form: URLSearchParams): Record<string, unknown> | string {
    const resource = form.get("resource");
    const grantType = form.get("grant_type");
    if (resource !== mcpUrl) return "invalid_target";
    if (grantType === "client_credentials") {
      if ((clients.get(clientId)?.secret ?? null) === null) return "unauthorized_client";
      const family = randomBytes(8).toString("hex");
      return tokensFor({ family, clientId, resource, scope: form.get("scope") ?? "" }, false);
    }
    if (grantType === "authorization_code") {
      const code = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      const isRight =
        code !== undefined &&
        code.clientId === clientId &&
        code.resource === resource &&
        code.redirectUri === form.get("redirect_uri") &&
        code.challenge === challenge;
      return isRight ? tokensFor(code, true) : "invalid_grant";
    }
    if (grantType === "refresh_token") {
      const held = refreshes.get(form.get("refresh_token") ?? "");
      if (held === undefined || held.clientId !== clientId || ended.has(held.family))
        return "invalid_grant";
      if (held.spent) {
        ended.add(held.family);
        return "invalid_grant";
      }
      held.spent = true;
      return tokensFor(held, true);
    }
    return "unsupported_grant_type";
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await bodyOf(request));
    if (options.tokenDelayMs !== undefined)
      await new Promise((resolve) => setTimeout(resolve, options.tokenDelayMs));
    const clientId = provenBy(request, form);
    const grant = form.get("grant_type") ?? "";
    if (clientId === null) {
      tokenCalls.push({ grant, outcome: "invalid_client" });
      const challenge = { "WWW-Authenticate": 'Basic realm="fake"' };
      return json(response, 401, { error: "invalid_client" }, challenge);
    }
    const made = exchange(clientId, form);
    tokenCalls.push({ grant, outcome: typeof made === "string" ? made : "granted" });
    // A careless server repeats what was sent to it.
    if (typeof made === "string")
      json(response, 400, { error: made, error_description: `You sent ${form.toString()}` });
    else json(response, 200, made);
  }

  async function register(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wish = JSON.parse(await bodyOf(request)) as {
      redirect_uris: string[];
      token_endpoint_auth_method: string;
    };
    const id = `registered-${randomBytes(6).toString("hex")}`;
    const secret = wish.token_endpoint_auth_method === "none" ? null : secretText("secret");
    clients.set(id, { secret, redirectUris: wish.redirect_uris });
    json(response, 201, {
      ...wish,
      client_id: id,
      ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
    });
  }

  function authorize(asked: URL, response: ServerResponse): void {
    const get = (name: string): string => asked.searchParams.get(name) ?? "";
    const client = clients.get(get("client_id"));
    if (client === undefined || !client.redirectUris.includes(get("redirect_uri")))
      return json(response, 400, { error: "invalid_request" });
    const back = new URL(get("redirect_uri"));
    const send = (parameters: Record<string, string>): void => {
      for (const [name, value] of Object.entries({ ...parameters, state: get("state"), iss: url }))
        back.searchParams.set(name, value);
      response.writeHead(302, { Location: back.href });
      response.end();
    };
    const isRight =
      get("response_type") === "code" &&
      get("code_challenge_method") === "S256" &&
      /^[\w-]{43}$/.test(get("code_challenge")) &&
      get("audience") === "kept";
    if (!isRight) return send({ error: "invalid_request" });
    if (get("resource") !== mcpUrl) return send({ error: "invalid_target" });
    if (get("x-answer") === "deny") return send({ error: "access_denied" });
    const code = secretText("code");
    codes.set(code, {
      family: randomBytes(8).toString("hex"),
      clientId: get("client_id"),
      resource: get("resource"),
      scope: get("scope"),
      redirectUri: get("redirect_uri"),
      challenge: get("code_challenge"),
    });
    send({ code });
  }

  async function mcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const { authorization } = request.headers;
    mcpCalls.push({ authorization, headers: request.headers, text: body });
    const grant = accesses.get(authorization?.replace(/^Bearer /, "") ?? "");
    if (grant === undefined || ended.has(grant.family) || options.refusesAll === true)
      return json(
        response,
        401,
        {},
        {
          "WWW-Authenticate": `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`,
        },
      );
    // Streams of its own and sessions it has none.
    if (request.method !== "POST") return void response.writeHead(405).end();
    const asked = JSON.parse(body) as { id?: unknown; method: string };
    const scope =
      options.wantsEverMore === true
        ? `more-${randomBytes(4).toString("hex")}`
        : options.scopeFor?.[asked.method];
    if (scope !== undefined && !grant.scope.split(" ").includes(scope))
      return json(
        response,
        403,
        {},
        { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
      );
    if (asked.id === undefined) return void response.writeHead(202).end();
    const done = { resultType: "complete", content: [{ type: "text", text: "let in" }] };
    if (options.isModern === true)
      return json(response, 200, { jsonrpc: "2.0", id: asked.id, result: done });
    const begun = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      serverInfo: { name: "guarded", version: "1" },
    };
    json(
      response,
      200,
      asked.method === "initialize"
        ? { jsonrpc: "2.0", id: asked.id, result: begun }
        : { jsonrpc: "2.0", id: asked.id, error: { code: -32601, message: "Unknown method" } },
    );
  }

  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? "/", url);
    const at = options.metadata ?? "path";
    const wellKnown = "/.well-known/oauth-protected-resource";
    if (asked.pathname === "/mcp") return void mcp(request, response);
    if (asked.pathname === "/token") return void token(request, response);
    if (asked.pathname === "/register" && options.registers === true)
      return void register(request, response);
    if (asked.pathname === "/authorize") return authorize(asked, response);
    if (asked.pathname === "/.well-known/oauth-authorization-server")
      return json(response, 200, metadata());
    if (asked.pathname === (at === "path" ? `${wellKnown}/mcp` : wellKnown) && at !== "none")
      return json(response, 200, resourceMetadata());
    json(response, 404, {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const mcpUrl = `${url}/mcp`;

  return {
    url,
    mcpUrl,
    options,
    clients,
    given,
    tokenCalls,
    mcpCalls,
    async consent(authorizationUrl, answer = "allow") {
      const asked = new URL(authorizationUrl);
      asked.searchParams.set("x-answer", answer);
      const response = await fetch(asked, { redirect: "manual" });
      return response.headers.get("location") ?? `refused: ${await response.text()}`;
    },
    revokeAccess: (text) => void accesses.delete(text),
    revokeAll() {
      for (const { family } of [...accesses.values(), ...refreshes.values()]) ended.add(family);
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
