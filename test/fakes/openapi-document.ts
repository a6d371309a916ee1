/** The OpenAPI document without a router around it, as a reader on this machine gets it. */
import { Hono } from "hono";
import { adminRoutes } from "../../src/http/admin/routes.ts";
import type { HttpEnv, Services } from "../../src/http/context.ts";

export async function openApiDocument(): Promise<unknown> {
  const app = new Hono<HttpEnv>();
  app.use((c, next) => {
    // All that the document asks for.
    const services = { app: { publicOrigins: [], publicUrls: [] } };
    c.set("services", services as unknown as Services);
    return next();
  });
  const answer = await app.route("/admin/v1", adminRoutes()).request("/admin/v1/openapi.json");
  return answer.json();
}
