/**
 * Against DNS rebinding: a page in a browser may call only from an origin that is named. CORS follows from
 * that.
 */
import { createMiddleware } from "hono/factory";
import { isOwnOrigin } from "../../domain/servers/own-origin.ts";
import { addVary } from "../answer-headers.ts";
import { askedAt, type HttpEnv } from "../context.ts";
import { problem } from "../problem.ts";

const methods = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
const requestHeaders =
  "Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Idempotency-Key, Last-Event-ID, X-Sampling-Router-Key, traceparent, tracestate";
const responseHeaders =
  "Mcp-Session-Id, X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Server-Timing";

export const checkOrigin = createMiddleware<HttpEnv>(async (c, next) => {
  const origin = c.req.header("Origin");
  if (origin === undefined) {
    if (c.req.method === "OPTIONS") return c.body(null, 204);
    return next();
  }
  if (!isOwnOrigin(origin, askedAt(c)) && !c.get("services").allowedOrigins.includes(origin))
    return problem(c, { reason: "origin_not_allowed" });
  const cors = {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": responseHeaders,
  };
  if (c.req.method === "OPTIONS")
    return c.body(null, 204, {
      ...cors,
      Vary: "Origin",
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers": requestHeaders,
      "Access-Control-Max-Age": "600",
    });
  await next();
  for (const [name, value] of Object.entries(cors)) c.res.headers.set(name, value);
  addVary(c.res.headers, ["Origin"]);
  return undefined;
});
