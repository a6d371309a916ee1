import { z } from "@hono/zod-openapi";
import { adminApp, endpoint, idParams, pageOf, pageRequestOf, tenantParams } from "./endpoint.ts";
import { line, millis, pageQuery } from "./schemas.ts";

/** Ids are hashes, with capitals. */
const userPage = pageQuery.extend({
  cursor: z
    .string()
    .regex(/^usr_[A-Za-z0-9_-]{43}$/, "Not a cursor that was given out.")
    .optional(),
});

const userInput = z
  .strictObject({
    issuer: line(500).optional().openapi({
      description: "Whose word it is. Absent: the tenant's identity provider's.",
      example: "https://id.example.com",
    }),
    subject: line(255).openapi({
      description: "The provider's own id of the person, `sub` in its tokens. Nothing keeps it.",
    }),
    name: line(150).optional().openapi({
      description: "Kept where the policy's `userNames` is `keep`.",
    }),
  })
  .openapi("UserInput");

const user = z
  .object({
    id: z.string().openapi({ description: "As records name the person, in `who.user`." }),
    tenantId: z.string(),
    name: z.string().nullable(),
    keyId: z.string().openapi({
      description: "The API key that programs act as which the person lets in.",
    }),
    createdAt: millis,
  })
  .openapi("User");

export function userRoutes() {
  const app = adminApp();
  const tag = "Users";
  endpoint(app, {
    method: "post",
    path: "/{tenant}/users",
    id: "createUser",
    tag,
    summary: "Find a person by what an identity provider says, or make one",
    description:
      "The same person gives the same id each time. The router keeps hashes alone of issuer and subject. Name the id in `userId` of a new API key, and the key's calls are the person's.",
    params: tenantParams,
    body: userInput,
    answer: user,
    run: ({ admin, actor, params, body }) => admin.users.create(actor, params.tenant, body),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/users",
    id: "listUsers",
    tag,
    summary: "List people on whose behalf programs call",
    description: "In the order of their ids, which say nothing of when they came.",
    params: tenantParams,
    query: userPage,
    answer: pageOf(user),
    run: ({ admin, actor, params, query }) =>
      admin.users.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint(app, {
    method: "delete",
    path: "/{tenant}/users/{id}",
    id: "forgetUser",
    tag,
    summary: "Forget a person",
    description:
      "Removes the name and the key of the hash that the id is, revokes the person's API keys, ends their grants and sessions. Records keep the id, which leads to nobody any more, so seals still verify.",
    params: idParams,
    run: ({ admin, actor, params }) => admin.users.forget(actor, params.tenant, params.id),
  });
  return app;
}
