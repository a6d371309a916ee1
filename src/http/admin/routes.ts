/** `/admin/v1`: REST, problem+json, and OpenAPI 3.1 from the same schemas. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import { ownUrlAt, type HttpEnv } from "../context.ts";
import { readBody, type BodyBounds } from "../../mcp/body.ts";
import { maxMessageLevels } from "../../domain/depth.ts";
import { protectPage } from "../page.ts";
import { problem } from "../problem.ts";
import { alertRoutes } from "./alerts.ts";
import { grantRoutes } from "./grants.ts";
import { approvalRoutes } from "./approvals.ts";
import { authorise } from "./authorise.ts";
import { catalogueRoutes } from "./catalogue.ts";
import { credentialRoutes } from "./credentials.ts";
import { describeCallers } from "./callers.ts";
import { describeModelEndpoints } from "./model-callers.ts";
import { docsPage } from "./docs.ts";
import { createDocument } from "./document.ts";
import { adminApp } from "./endpoint.ts";
import { keyRoutes } from "./keys.ts";
import { modelRoutes } from "./models.ts";
import { policyTrialRoutes } from "./policy-trial.ts";
import { requestStreamRoutes } from "./request-stream.ts";
import { eventRoutes, recordRoutes, usageRoutes } from "./records.ts";
import { serverRoutes } from "./servers.ts";
import { sealRoutes } from "./seals.ts";
import { describeSessions } from "./session-description.ts";
import { signInRoutes } from "./sign-in.ts";
import { tenantRoutes } from "./tenants.ts";
import { userRoutes } from "./users.ts";
import { webhookRoutes } from "./webhooks.ts";

const mergePatchType = "application/merge-patch+json";
const writes = new Set(["POST", "PUT", "PATCH"]);

/** Otherwise 404 or 405, whatever the body. */
const isOperation = (c: Context<HttpEnv>): boolean =>
  matchedRoutes(c).some(({ method }) => method === c.req.method);

const bounds: BodyBounds = { maxBytes: 1024 * 1024, maxLevels: maxMessageLevels };

/** Bounds and parses the body before a schema sees it. */
const checkBody = createMiddleware<HttpEnv>(async (c, next) => {
  if (!writes.has(c.req.method) || !isOperation(c)) return next();
  const bytes = await readBody(c.req.raw.clone(), bounds);
  if (!bytes.ok) return problem(c, bytes.error);
  if (bytes.value.byteLength === 0) return next();
  const type = c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json" && !(c.req.method === "PATCH" && type === mergePatchType))
    return problem(c, { reason: "unsupported_media_type", expected: "application/json" });
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.value));
  } catch {
    return problem(c, { reason: "bad_request", detail: "The body is JSON in UTF-8." });
  }
  return next();
});

/** Answers contain new keys, links that grant access, and captured content. */
const keepNothing = createMiddleware<HttpEnv>(async (c, next) => {
  await next();
  c.res.headers.set("Cache-Control", "no-store");
});

export function adminRoutes() {
  const app = adminApp();
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    description:
      "The operator's token, or an API key with a role (viewer, auditor, approver or admin). `x-roles` of an operation lists the allowed roles. `x-reach: operator` operations need the operator's token, or a person who signed in as operator.",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "samplingKey", {
    type: "http",
    scheme: "bearer",
    description: "An API key with the scope sampling.",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "modelsKey", {
    type: "http",
    scheme: "bearer",
    description:
      "An API key with the scope models, or an access token for a tenant's path. `x-api-key` may hold either instead.",
  });
  describeCallers(app.openAPIRegistry);
  describeModelEndpoints(app.openAPIRegistry);
  describeSessions(app.openAPIRegistry);
  const documentOf = createDocument(app);
  app.get("/openapi.json", (c) => c.json(documentOf(ownUrlAt(c))));
  app.get("/docs", (c) => {
    protectPage(c.res.headers, "inline");
    return c.html(docsPage(documentOf(ownUrlAt(c))));
  });
  app.use("/*", keepNothing);
  app.use("/*", authorise);
  app.use("/*", checkBody);
  app.route("/tenants", tenantRoutes());
  app.route("/tenants", policyTrialRoutes());
  app.route("/tenants", signInRoutes());
  app.route("/tenants", keyRoutes());
  app.route("/tenants", credentialRoutes());
  app.route("/tenants", modelRoutes());
  app.route("/tenants", serverRoutes());
  app.route("/tenants", approvalRoutes());
  app.route("/tenants", alertRoutes());
  app.route("/tenants", grantRoutes());
  app.route("/tenants", userRoutes());
  app.route("/tenants", webhookRoutes());
  // Before the records, whose paths would match those of exports.
  app.route("/tenants", sealRoutes());
  app.route("/tenants", requestStreamRoutes());
  app.route("/tenants", recordRoutes());
  app.route("/usage", usageRoutes());
  app.route("/events", eventRoutes());
  app.route("/catalogue", catalogueRoutes());
  return app;
}
