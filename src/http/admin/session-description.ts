/** Describes `/console/session`, whose routes are outside the admin app, in the OpenAPI document. */
import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { roles } from "../../domain/tenancy/scopes.ts";
import { millis, problemBody, slug } from "./schemas.ts";

const json = "application/json";
const problem = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: problemBody } },
});

const signInInput = z
  .strictObject({
    key: z.string().openapi({ description: "The operator's token, or an API key with a role." }),
  })
  .openapi("SignInInput");

const session = z
  .object({
    csrf: z.string().openapi({ description: "Send as X-CSRF-Token with every change." }),
    actor: z.object({
      kind: z.enum(["operator", "key", "person"]),
      role: z.enum(roles),
      tenant: slug.optional().openapi({ description: "Missing for all tenants." }),
      name: z.string().optional().openapi({ description: "The name of the person or key." }),
    }),
    expiresAt: millis,
  })
  .openapi("ConsoleSession");

const shown = (description: string) => ({
  description,
  content: { [json]: { schema: session } },
});
const csrfHeader = z.object({
  "X-CSRF-Token": z.string().openapi({ param: { description: "The session's `csrf`." } }),
});

const shared = { path: "/console/session", tags: ["Console"] };

const signIn = {
  ...shared,
  method: "post" as const,
  operationId: "signIn",
  summary: "Sign in with a key, for a session cookie",
  description:
    "The admin API accepts the cookie instead of Authorization. A session ends after 12 hours, when its key expires or is revoked or rotated, and when `ADMIN_TOKEN` changes. Failed sign-ins are slowed down. With plain http, only the local machine can sign in.",
  security: [],
  request: { body: { required: true, content: { [json]: { schema: signInInput } } } },
  responses: {
    200: shown("Signed in; the cookie is in Set-Cookie."),
    400: problem("Invalid params, or: Bad request"),
    401: problem("Unauthorized"),
    403: problem("Forbidden, or: Origin not allowed"),
    415: problem("Unsupported media type"),
    429: problem("Rate limit exceeded"),
    503: problem("Temporarily unavailable"),
  },
};

const show = {
  ...shared,
  method: "get" as const,
  operationId: "readConsoleSession",
  summary: "Get the current session",
  description: "The session of the request's cookie, as returned by the sign-in.",
  security: [{ session: [] }],
  responses: { 200: shown("The session."), 401: problem("Unauthorized") },
};

const signOut = {
  ...shared,
  method: "delete" as const,
  operationId: "signOut",
  summary: "End the session",
  description: "Invalidates the cookie and all copies.",
  security: [{ session: [] }],
  request: { headers: csrfHeader },
  responses: {
    204: { description: "Success." },
    401: problem("Unauthorized"),
    403: problem("Forbidden, or: Origin not allowed"),
  },
};

export function describeSessions(registry: OpenAPIHono["openAPIRegistry"]): void {
  registry.registerComponent("securitySchemes", "session", {
    type: "apiKey",
    in: "cookie",
    name: "__Host-sr_session",
    description:
      "The cookie of a console session. Changes also need X-CSRF-Token and the router's own Origin.",
  });
  for (const path of [signIn, show, signOut]) registry.registerPath(path);
}
