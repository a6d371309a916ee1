import { z } from "@hono/zod-openapi";
import { roles } from "../../domain/tenancy/scopes.ts";
import { adminApp, endpointsOf, pageOf, pageRequestOf } from "./endpoint.ts";
import { line, millis, pageQuery } from "./schemas.ts";

/** Ids are hashes, with capitals. */
const userPage = pageQuery.extend({
  cursor: z
    .string()
    .regex(/^usr_[A-Za-z0-9_-]{43}$/, "Unknown cursor.")
    .optional(),
});

const userInput = z
  .strictObject({
    issuer: line(500).optional().openapi({
      description: "The issuer. Default: the tenant's identity provider.",
      example: "https://id.example.com",
    }),
    subject: line(255).openapi({
      description: "The person's `sub` at the provider. It isn't stored.",
    }),
    name: line(150).optional().openapi({
      description: "Stored if the policy's `userNames` is `keep`.",
    }),
  })
  .openapi("UserInput");

const user = z
  .object({
    id: z.string().openapi({ description: "The person's id in records (`who.user`)." }),
    tenantId: z.string(),
    name: z.string().nullable(),
    keyId: z.string().openapi({
      description: "The API key that the person's programs act as.",
    }),
    createdAt: millis,
    role: z
      .enum(roles)
      .nullable()
      .openapi({ description: "Role of the last sign-in to the console; null: none." }),
    signedInAt: millis.nullable().openapi({ description: "Of the last sign-in to the console." }),
  })
  .openapi("User");

export function userRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Users");
  endpoint({
    route: "post /{tenant}/users",
    id: "createUser",
    summary: "Find or create a person",
    description:
      "Returns the same id for the same person. The router only stores hashes of issuer and subject. Calls with an API key whose `userId` is this id belong to the person.",
    body: userInput,
    answer: user,
    run: ({ admin, actor, params, body }) => admin.users.create(actor, params.tenant, body),
  });
  endpoint({
    route: "get /{tenant}/users",
    id: "listUsers",
    summary: "List people",
    description:
      "People who signed in to the console, and those on whose behalf programs call. Ordered by id.",
    query: userPage,
    answer: pageOf(user),
    run: ({ admin, actor, params, query }) =>
      admin.users.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint({
    route: "delete /{tenant}/users/{id}",
    id: "forgetUser",
    summary: "Delete a person",
    description:
      "Deletes the name and the key of the id's hash, revokes the person's API keys, and ends grants and sessions. Records keep the id, which can no longer be traced to the person, so seals still verify.",
    run: ({ admin, actor, params }) => admin.users.forget(actor, params.tenant, params.id),
  });
  return app;
}
