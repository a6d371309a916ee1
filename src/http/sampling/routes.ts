/** `/v1/sampling` and `/v1/sampling/{tenant}`: Streamable HTTP, both eras. */
import { Hono, type Context } from "hono";
import { responseOf } from "../../domain/ports/client-answer.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { isLegacy } from "../../mcp/era.ts";
import { type HttpEnv } from "../context.ts";
import { bearerOf } from "../../domain/tenancy/access.ts";
import { authenticate, type InboundMessage } from "./legacy.ts";
import { unsupportedRevision } from "./modern.ts";
import { refusalReply, respond } from "../../mcp/reply.ts";
import { challengeUnauthenticated } from "../middleware/challenge.ts";
import { postSampling } from "./post.ts";

const refused = async (c: Context<HttpEnv>, refusal: Refusal): Promise<Response> =>
  responseOf(
    await respond(refusalReply(null, refusal, c.get("requestId")), {
      acceptsStream: false,
      signal: c.req.raw.signal,
    }),
  );

async function post(c: Context<HttpEnv>): Promise<Response> {
  const tenant = c.req.param("tenant");
  const answer = await postSampling(c.get("services").sampling, {
    request: c.req.raw,
    requestId: c.get("requestId"),
    ...(tenant !== undefined && { tenant }),
  });
  return responseOf(answer);
}

async function end(c: Context<HttpEnv>): Promise<Response> {
  const services = c.get("services").sampling;
  const tenant = c.req.param("tenant");
  const reply = (refusal: Refusal): Promise<Response> => refused(c, refusal);
  const inbound: InboundMessage = {
    ...(tenant !== undefined && { tenant }),
    token: bearerOf(c.req.header("Authorization")),
    sessionId: c.req.header("Mcp-Session-Id") ?? null,
    headers: c.req.raw.headers,
    bytes: 0,
    requestId: c.get("requestId"),
    startedAt: services.now(),
    monotonicStart: services.elapsed(),
    processingStart: services.elapsed(),
    slot: null,
  };
  const revision = c.req.header("MCP-Protocol-Version");
  if (revision !== undefined && !isLegacy(revision)) return reply(unsupportedRevision(revision));
  const caller = await authenticate(services, inbound, "database");
  if (!caller.ok) return reply(caller.error);
  const { session } = caller.value;
  if (session === null) return reply({ reason: "session_required" });
  const ended = await services.sessions.end(session);
  return ended.ok ? new Response(null, { status: 204 }) : reply(ended.error);
}

const notAllowed = (c: Context<HttpEnv>): Promise<Response> =>
  refused(c, { reason: "method_not_allowed", allow: "POST, DELETE" });

/** The path that access tokens are issued for. */
const ofTenant = "/:tenant{[a-z0-9-]+}";
const paths = ["/", ofTenant];

export const samplingRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .use(ofTenant, challengeUnauthenticated("sampling"))
    .on("POST", paths, post)
    .on("DELETE", paths, end)
    .all("/", notAllowed)
    .all(ofTenant, notAllowed);
