import { z } from "@hono/zod-openapi";
import { roles } from "../../domain/tenancy/scopes.ts";
import { signInKinds } from "../../domain/tenancy/sign-in.ts";
import { adminApp, endpointsOf } from "./endpoint.ts";
import { line, millis } from "./schemas.ts";

const settings = {
  kind: z.enum(signInKinds).openapi({
    description: "cloudflare-access: the gateway signs people in.",
  }),
  issuer: line(500).openapi({
    description: "The provider's issuer; for Cloudflare Access, the team's domain.",
    example: "https://id.example.com",
  }),
  clientId: line(500).openapi({
    description: "For Cloudflare Access, the application's audience.",
  }),
  claim: line(200).openapi({
    description: "The claim that determines the role.",
    example: "groups",
  }),
  roles: z.record(line(200), z.enum(roles)).openapi({
    description: "Roles by claim value. The strongest applies.",
    example: { "platform-team": "admin", finance: "viewer" },
  }),
  callers: z
    .array(line(200))
    .max(100)
    .optional()
    .openapi({
      description:
        "Claim values whose people can connect programs by OAuth. Default: people use an API key.",
      example: ["engineering"],
    }),
};

const signInInput = z
  .strictObject({
    ...settings,
    clientSecret: z.string().min(1).max(2_000).nullable().optional().openapi({
      description: "If missing, the secret is kept for the same issuer and client. null: none.",
    }),
  })
  .openapi("IdentityProviderInput");

const signIn = z
  .object({ ...settings, hasSecret: z.boolean(), updatedAt: millis })
  .openapi("IdentityProvider");

const pending = z
  .strictObject({ state: line(200), nonce: line(200), verifier: line(200) })
  .openapi("PendingSignIn", { description: "Kept by the client until the provider answers." });

const trial = z
  .object({
    fault: z
      .string()
      .nullable()
      .openapi({ description: "Why there are no claims; null: there are." }),
    claims: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({ description: "Claims of the ID token. They aren't stored." }),
    person: z.string().nullable().openapi({ description: "The person's name in events." }),
    role: z.enum(roles).nullable().openapi({ description: "null: the sign-in would be refused." }),
    mayConnect: z.boolean().openapi({ description: "Whether the person can connect programs." }),
  })
  .openapi("SignInTrial");

export function signInRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Sign-in");
  endpoint({
    route: "get /{tenant}/sign-in",
    id: "readSignIn",
    summary: "Get the identity provider",
    description: "The settings, without the client's secret.",
    answer: signIn,
    run: ({ admin, actor, params }) => admin.signIn.get(actor, params.tenant),
  });
  endpoint({
    route: "put /{tenant}/sign-in",
    id: "replaceSignIn",
    summary: "Set the identity provider",
    description:
      "People sign in to the console for 12 hours, with the role of their claims. A change ends the sessions of all people of the tenant. Keys with an expiry can't set it.",
    body: signInInput,
    answer: signIn,
    run: ({ admin, actor, params, body }) => admin.signIn.put(actor, params.tenant, body),
  });
  endpoint({
    route: "delete /{tenant}/sign-in",
    id: "removeSignIn",
    summary: "Remove the identity provider",
    description: "Ends the sessions of all people of the tenant. Keys remain valid.",
    run: ({ admin, actor, params }) => admin.signIn.remove(actor, params.tenant),
  });
  endpoint({
    route: "post /{tenant}/sign-in/trial",
    id: "trySignIn",
    summary: "Try an identity provider",
    description:
      "Starts a sign-in with these settings without saving them. Open `url` in a browser. The provider redirects it to the router, and the router to `/console/tried`. The query of this URL is the provider's answer.",
    body: signInInput,
    answer: z.object({ url: z.string(), pending }).openapi("BegunSignInTrial"),
    run: ({ admin, actor, params, body, ownUrl }) =>
      admin.trySignIn.begin(actor, { slug: params.tenant, settings: body, ownUrl }),
  });
  endpoint({
    route: "post /{tenant}/sign-in/trial/result",
    id: "finishSignInTrial",
    summary: "Get the result of a trial",
    description:
      "Returns the token's claims, and the role that would follow. Nothing is stored, and no session begins.",
    body: z.strictObject({
      settings: signInInput,
      pending,
      query: z.string().max(8_000).openapi({ description: "The provider's answer." }),
    }),
    answer: trial,
    run: ({ admin, actor, params, body, ownUrl }) =>
      admin.trySignIn.finish(actor, { slug: params.tenant, ownUrl, ...body }),
  });
  return app;
}
