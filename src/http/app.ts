import { OpenAPIHono } from "@hono/zod-openapi";
import { adminRoutes } from "./admin/routes.ts";
import { accountRoutes } from "./authorization/account.ts";
import { connectRoutes } from "./authorization/connect.ts";
import { authorizationRoutes } from "./authorization/routes.ts";
import { metadataRoutes } from "./authorization/metadata.ts";
import { auditKeyRoutes } from "./audit-keys.ts";
import { consoleRoutes } from "./console.ts";
import { type HttpEnv } from "./context.ts";
import { bearerOf } from "../domain/tenancy/access.ts";
import { healthRoutes } from "./health.ts";
import { metricRoutes } from "./metrics.ts";
import { modelKeyHeader } from "./models/caller.ts";
import { modelRoutes } from "./models/routes.ts";
import { limitPublicRequests } from "./middleware/public-requests.ts";
import { checkOrigin } from "./middleware/origin.ts";
import { oauthRoutes } from "./oauth.ts";
import { problem } from "./problem.ts";
import { dryRunRoutes } from "./route.ts";
import { routerKeyHeader } from "../proxy/receive.ts";
import { proxyRoutes } from "./proxy.ts";
import { consoleSessionRoutes } from "./console-session.ts";
import { sessionTokenOf } from "./session-cookie.ts";
import { singleSignOnRoutes } from "./single-sign-on.ts";
import { samplingRoutes } from "./sampling/routes.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

export function createApp(): OpenAPIHono<HttpEnv> {
  const app = new OpenAPIHono<HttpEnv>();
  app.use(async (c, next) => {
    // The key names its tenant's database.
    const services = c.env.servicesFor(
      c.req.header(routerKeyHeader)?.trim() ??
        bearerOf(c.req.header("Authorization")) ??
        c.req.header(modelKeyHeader)?.trim() ??
        sessionTokenOf(c),
    );
    c.set("services", services);
    const requestId = services.app.ids.next("request");
    c.set("requestId", requestId);
    c.env.requestIs?.(requestId);
    return next();
  });
  app.route("/.well-known", metadataRoutes());
  app.use(checkOrigin);
  app.route("/v1/sampling", samplingRoutes());
  app.route("/v1/route", dryRunRoutes());
  app.route("/v1", modelRoutes());
  app.route("/t/:tenant{[a-z0-9-]+}/v1", modelRoutes());
  // Anthropic clients probe their base URL.
  app.get("/t/:tenant{[a-z0-9-]+}", (c) => c.body(null, 204));
  app.route("/mcp", proxyRoutes());
  app.route("/admin/v1", adminRoutes());
  for (const path of ["/oauth/*", "/console/session", "/console/single-sign-on/*"])
    app.use(path, limitPublicRequests);
  app.route("/oauth", authorizationRoutes());
  app.route("/oauth", accountRoutes());
  app.route("/oauth", connectRoutes());
  app.route("/oauth", oauthRoutes());
  app.route("/health", healthRoutes());
  app.route("/metrics", metricRoutes());
  app.route("/.well-known/sampling-router", auditKeyRoutes());
  app.route("/console/session", consoleSessionRoutes());
  app.route("/console/single-sign-on", singleSignOnRoutes());
  app.route("/", consoleRoutes());
  app.notFound((c) => {
    const allow = methods.filter((method) =>
      app.router.match(method, c.req.path)[0].some(([[, route]]) => route.method === method),
    );
    return allow.length === 0
      ? problem(c, { reason: "not_found", what: "no such path" })
      : problem(c, { reason: "method_not_allowed", allow: allow.join(", ") });
  });
  app.onError((error, c) => {
    c.get("services").app.report(c.get("requestId"), error);
    return problem(c, { reason: "internal" });
  });
  return app;
}
