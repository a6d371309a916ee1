/** Prevents DNS rebinding: pages may call only from allowed origins. CORS follows. */
import { createMiddleware } from "hono/factory";
import { isOwnOrigin } from "../../domain/servers/own-origin.ts";
import { addVary } from "../answer-headers.ts";
import { askedAt, type HttpEnv } from "../context.ts";
import { problem } from "../problem.ts";

const methods = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
const requestHeaders =
  "Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Idempotency-Key, Last-Event-ID, X-Sampling-Router-Key, traceparent, tracestate";
/** RFC 9110, section 5.1. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Header names are open-ended (`passHeaders`, `Mcp-Param-*`); the server's entry decides what is forwarded. */
const allowedTo = (asked: string | undefined): string =>
  [
    requestHeaders,
    ...(asked ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => headerName.test(name)),
  ].join(", ");

const responseHeaders =
  "WWW-Authenticate, Mcp-Session-Id, X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Server-Timing, ETag, X-Next-Cursor, Content-Disposition, X-Router-Model, X-Router-Cost, X-Router-Fallback, X-Router-Ignored, X-Router-Max-Tokens, request-id, retry-after-ms, x-should-retry";

export const checkOrigin = createMiddleware<HttpEnv>(async (c, next) => {
  const origin = c.req.header("Origin");
  if (origin === undefined) {
    if (c.req.method === "OPTIONS") return c.body(null, 204);
    return next();
  }
  if (!isOwnOrigin(origin, askedAt(c)) && !c.get("services").app.allowedOrigins.includes(origin))
    return problem(c, { reason: "origin_not_allowed" });
  const cors = {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": responseHeaders,
  };
  if (c.req.method === "OPTIONS")
    return c.body(null, 204, {
      ...cors,
      Vary: "Origin, Access-Control-Request-Headers",
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers": allowedTo(c.req.header("Access-Control-Request-Headers")),
      "Access-Control-Max-Age": "600",
    });
  await next();
  for (const [name, value] of Object.entries(cors)) c.res.headers.set(name, value);
  addVary(c.res.headers, ["Origin"]);
  return undefined;
});
