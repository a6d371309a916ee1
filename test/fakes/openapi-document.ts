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

interface Responses {
  responses?: Record<string, unknown>;
}

/** The document with each response in its place: equal errors are `components.responses`. */
export function withOwnResponses<D extends { paths: object; components?: object }>(document: D): D {
  const { responses: shared = {} }: Responses = document.components ?? {};
  for (const item of Object.values(document.paths))
    for (const operation of Object.values(item as Record<string, Responses>))
      for (const [status, response] of Object.entries(operation.responses ?? {})) {
        const name = (response as { $ref?: string }).$ref?.split("/").at(-1);
        if (name !== undefined && operation.responses !== undefined)
          operation.responses[status] = shared[name];
      }
  return document;
}
