import { z } from "@hono/zod-openapi";
import { adminApp, endpointsOf, pageOf, pageRequestOf } from "./endpoint.ts";
import { names } from "./record-schemas.ts";
import { millis, pageQuery } from "./schemas.ts";

/** A grant's id is not sortable by time, so the cursor has both. */
const grantPage = pageQuery.extend({
  cursor: z
    .string()
    .regex(/^\d{1,16}_[A-Za-z0-9_-]{1,64}$/, "Unknown cursor.")
    .optional(),
});

const grant = z
  .object({
    id: z.string(),
    clientId: z.string().openapi({
      description: "The program's id: the URL of its metadata document, or its registration.",
    }),
    clientName: z.string().openapi({ description: "The program's own name, unverified." }),
    redirectHost: z.string().openapi({ description: "The redirect address of the consent." }),
    resource: z.string().openapi({ description: "The resource of its tokens." }),
    scopes: z.array(z.string()),
    keyId: z.string().openapi({ description: "The API key that the program acts as." }),
    createdAt: millis,
    expiresAt: millis.nullable(),
  })
  .openapi("Grant");

export function grantRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Grants");
  endpoint({
    route: "get /{tenant}/grants",
    id: "listGrants",
    summary: "List OAuth grants, newest first",
    description: "The newest 1,000 active grants. Empty if OAuth is off.",
    query: grantPage,
    answer: pageOf(grant).extend({ names }),
    run: ({ admin, actor, params, query }) =>
      admin.grants.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint({
    route: "delete /{tenant}/grants/{id}",
    id: "revokeGrant",
    summary: "Revoke a grant and its tokens",
    description:
      "Access tokens stop working within five seconds, refresh tokens immediately. The program's API key remains valid.",
    run: ({ admin, actor, params }) => admin.grants.revoke(actor, params.tenant, params.id),
  });
  return app;
}
