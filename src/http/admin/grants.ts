import { z } from "@hono/zod-openapi";
import { adminApp, endpoint, idParams, pageOf, pageRequestOf, tenantParams } from "./endpoint.ts";
import { millis, pageQuery } from "./schemas.ts";

/** A grant's id is not sortable by time, so the cursor has both. */
const grantPage = pageQuery.extend({
  cursor: z
    .string()
    .regex(/^\d{1,16}_[A-Za-z0-9_-]{1,64}$/, "Not a cursor that was given out.")
    .optional(),
});

const grant = z
  .object({
    id: z.string(),
    clientId: z.string().openapi({
      description: "Of the program; the URL of its document, or given at registration.",
    }),
    clientName: z
      .string()
      .openapi({ description: "As the program calls itself. Anybody may take any name." }),
    redirectHost: z
      .string()
      .openapi({ description: "Where the consent sent the person's browser." }),
    resource: z.string().openapi({ description: "What its tokens open." }),
    scopes: z.array(z.string()),
    keyId: z.string().openapi({ description: "The API key that the program acts as." }),
    createdAt: millis,
    expiresAt: millis.nullable(),
  })
  .openapi("Grant");

export function grantRoutes() {
  const app = adminApp();
  const tag = "Grants";
  endpoint(app, {
    method: "get",
    path: "/{tenant}/grants",
    id: "listGrants",
    tag,
    summary: "List what people allowed programs, newest first",
    description: "Grants that stand. Empty where OAuth is off. The newest 1,000 are listed.",
    params: tenantParams,
    query: grantPage,
    answer: pageOf(grant),
    run: ({ admin, actor, params, query }) =>
      admin.grants.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint(app, {
    method: "delete",
    path: "/{tenant}/grants/{id}",
    id: "revokeGrant",
    tag,
    summary: "End a grant and its tokens",
    description:
      "Access tokens open nothing within five seconds, and refresh tokens give none. The API key that the program acted as goes on.",
    params: idParams,
    run: ({ admin, actor, params }) => admin.grants.revoke(actor, params.tenant, params.id),
  });
  return app;
}
