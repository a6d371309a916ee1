import { z } from "@hono/zod-openapi";
import { roles } from "../../domain/tenancy/scopes.ts";
import { signInKinds } from "../../domain/tenancy/sign-in.ts";
import { adminApp, endpoint, tenantParams } from "./endpoint.ts";
import { line, millis } from "./schemas.ts";

const settings = {
  kind: z.enum(signInKinds).openapi({
    description: "cloudflare-access: the gateway signs people in, and says who came.",
  }),
  issuer: line(500).openapi({
    description: "As the provider names itself; of Cloudflare Access the team's domain.",
    example: "https://id.example.com",
  }),
  clientId: line(500).openapi({
    description: "Of Cloudflare Access the application's audience.",
  }),
  claim: line(200).openapi({
    description: "Which member of a person's claims gives the role.",
    example: "groups",
  }),
  roles: z.record(line(200), z.enum(roles)).openapi({
    description: "The role by the claim's value. Of several the strongest counts.",
    example: { "platform-team": "admin", finance: "viewer" },
  }),
  callers: z
    .array(line(200))
    .max(100)
    .optional()
    .openapi({
      description:
        "Values of the claim that let people's programs call, by OAuth. Absent: people show an API key there.",
      example: ["engineering"],
    }),
};

const signInInput = z
  .strictObject({
    ...settings,
    clientSecret: z.string().min(1).max(2_000).nullable().optional().openapi({
      description: "Absent: as it is, for the same issuer and client. null: none.",
    }),
  })
  .openapi("IdentityProviderInput");

const signIn = z
  .object({ ...settings, hasSecret: z.boolean(), updatedAt: millis })
  .openapi("IdentityProvider");

export function signInRoutes() {
  const app = adminApp();
  const tag = "Sign-in";
  endpoint(app, {
    method: "get",
    path: "/{tenant}/sign-in",
    id: "readSignIn",
    tag,
    summary: "Read by which identity provider people sign in",
    description: "The settings, without the client's secret.",
    params: tenantParams,
    answer: signIn,
    run: ({ admin, actor, params }) => admin.signIn.get(actor, params.tenant),
  });
  endpoint(app, {
    method: "put",
    path: "/{tenant}/sign-in",
    id: "replaceSignIn",
    tag,
    summary: "Set by which identity provider people sign in",
    description:
      "People whom it vouches for get the role that their claims give, in the console, for 12 hours. Each change ends the sessions of all people of the tenant. A key that expires sets none.",
    params: tenantParams,
    body: signInInput,
    answer: signIn,
    run: ({ admin, actor, params, body }) => admin.signIn.put(actor, params.tenant, body),
  });
  endpoint(app, {
    method: "delete",
    path: "/{tenant}/sign-in",
    id: "removeSignIn",
    tag,
    summary: "Let nobody sign in by an identity provider",
    description: "Ends the sessions of all people of the tenant. Keys stay.",
    params: tenantParams,
    run: ({ admin, actor, params }) => admin.signIn.remove(actor, params.tenant),
  });
  return app;
}
