/** `/mcp/{tenant}/{server}`: who calls, which server, which era; then the era's own file. */
import { Hono, type Context } from "hono";
import { own } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { isModern } from "../../mcp/era.ts";
import { bodyIn, requestsIn, type ProxiedBody } from "../../mcp/proxy/message.ts";
import { readBody } from "../body.ts";
import { bearerOf, type HttpEnv } from "../context.ts";
import { problem } from "../problem.ts";
import { refuse, type ProxyArrived } from "./arrived.ts";
import { dispatchLegacy, dispatchModern } from "../bridge/dispatch.ts";

export const routerKeyHeader = "X-Sampling-Router-Key";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The API key, and the `Authorization` that is the server's business if the key came beside it. */
function keyIn(headers: Headers): { token: string | null; authorization: string | null } {
  const authorization = headers.get("Authorization");
  const key = headers.get(routerKeyHeader);
  return key === null
    ? { token: bearerOf(authorization ?? undefined), authorization: null }
    : { token: key.trim(), authorization };
}

/** `initialize` without a `_meta` is legacy, whatever the header says: it is how that era begins. */
function speaksModern(body: ProxiedBody | null, header: string | null): boolean {
  const [message] = body?.messages ?? [];
  const params =
    message?.kind === "request" || message?.kind === "notification" ? message.params : {};
  const begins = message?.kind === "request" && message.method === "initialize";
  if (body?.batch === true || (begins && own(params, "_meta") === undefined)) return false;
  return isModern(params, header);
}

async function handle(c: Context<HttpEnv>): Promise<Response> {
  const services = c.get("services");
  const requestId = c.get("requestId");
  const startedAt = services.now();
  const { headers } = c.req.raw;
  const { token, authorization } = keyIn(headers);
  // Nobody unknown gets a body read or parsed.
  if (token === null)
    return problem(c, {
      reason: "unauthorized",
      detail: `Send an API key as Authorization: Bearer <API key>, or in ${routerKeyHeader}.`,
    });
  const method = c.req.method as ProxyArrived["method"];
  const read = await readBody(c.req.raw);
  if (!read.ok) return problem(c, read.error);
  const text = decoder.decode(read.value);
  const body = method === "POST" ? bodyIn(text) : null;
  const modern = speaksModern(body, headers.get("MCP-Protocol-Version"));
  const claim = {
    token,
    // The modern era has no sessions: whatever it is, it is the server's business.
    sessionId: modern ? null : headers.get("Mcp-Session-Id"),
    scope: "proxy",
    through: { tenant: c.req.param("tenant") ?? "", server: c.req.param("server") ?? "" },
  } as const;
  const caller = await services.authenticate(claim, "recent");
  const [request] = body === null ? [] : requestsIn(body);
  const refused = (refusal: Refusal): Promise<Response> | Response =>
    request === undefined ? problem(c, refusal) : refuse(refusal, { id: request.id, requestId });
  if (!caller.ok) return refused(caller.error);
  const { server } = caller.value;
  if (server === null) return refused({ reason: "not_found", what: "no such server" });
  const arrived: ProxyArrived = {
    caller: caller.value,
    server,
    current: () => services.authenticate(claim, "recent"),
    again: () => services.authenticate(claim, "database"),
    method,
    headers,
    authorization,
    bytes: read.value,
    text,
    body,
    requestId,
    startedAt,
    left: c.req.raw.signal,
  };
  return modern ? dispatchModern(services, arrived) : dispatchLegacy(services, arrived);
}

export const proxyRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .on(["POST", "GET", "DELETE"], "/:tenant/:server", handle)
    .all("/:tenant/:server", (c) => {
      const response = problem(c, { reason: "method_not_allowed", allow: "POST, GET, DELETE" });
      response.headers.set("Allow", "POST, GET, DELETE");
      return response;
    });
