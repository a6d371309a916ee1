/** `/.well-known/oauth-…`: authorization metadata (RFC 9728, RFC 8414). */
import { Hono } from "hono";
import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import { resourceAt } from "../../domain/tenancy/oauth-resources.ts";
import type { HttpEnv } from "../context.ts";
import { limitPublicRequests } from "../middleware/public-requests.ts";
import { problem } from "../problem.ts";

const nothing = { reason: "not_found", what: "no such path" } as const;
const prefix = "/.well-known/oauth-protected-resource";

const notKept = createMiddleware<HttpEnv>(async (c, next) => {
  await next();
  c.res.headers.set("Cache-Control", "no-store");
});

/** Public and identical for all callers. */
const anyOrigin = cors({ origin: "*", allowMethods: ["GET"] });

export const metadataRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .use("/oauth-authorization-server", anyOrigin, notKept, limitPublicRequests)
    .use("/oauth-protected-resource/*", anyOrigin, notKept, limitPublicRequests)
    .get("/oauth-authorization-server", async (c) => {
      const server = c.get("services").oauth.authorizationServer();
      return server === null ? problem(c, nothing) : server.metadata();
    })
    .get("/oauth-protected-resource/*", async (c) => {
      const resource = resourceAt(c.req.path.slice(prefix.length));
      const found =
        resource === null ? null : await c.get("services").oauth.challenges.metadataOf(resource);
      return found === null ? problem(c, nothing) : c.json(found);
    });
