/** Registered servers. Header values and client secrets come in and never go out. */
import { z } from "@hono/zod-openapi";
import { oauthGrants } from "../../domain/oauth.ts";
import { samplingModes } from "../../domain/servers.ts";
import { limits, policy } from "./policy-schemas.ts";
import { millis, slug } from "./schemas.ts";

const url = z.string().min(1).max(2_000).openapi({ example: "https://mcp.example.com/mcp" });
// Names and values are judged in the domain; here, only that they are texts of a bounded size.
const headers = z.record(z.string().max(200), z.string().max(8_192)).openapi({
  description: "Static headers, values included. They are sealed and never come back.",
});

const { maxTokens, allowedModels, deniedModels, toolRounds } = policy.shape;
export const serverPolicy = z
  .strictObject({
    limits: limits.optional(),
    maxTokens,
    allowedModels,
    deniedModels,
    toolRounds,
    disabled: z.boolean().optional().openapi({ description: "Nothing is sampled for it." }),
  })
  .openapi("ServerPolicy", { description: "On top of the tenant's policy and the key's limits." });

const clientFigures = {
  grant: z.enum(oauthGrants),
  clientId: z.string().min(1).max(500),
};
const oauthInput = z
  .strictObject({
    ...clientFigures,
    clientSecret: z.string().min(1).max(4_000).optional(),
    tokenEndpoint: url.optional(),
    authorizationEndpoint: url.optional(),
    scope: z
      .string()
      .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, "Scopes, space-separated.")
      .max(2_000)
      .optional(),
    resource: url.optional(),
  })
  .openapi("OauthInput", {
    description:
      "The router as the tenant's own OAuth client. Absent endpoints are discovered by the server's metadata.",
  });

const serverFigures = {
  headers: headers.optional(),
  forwardAuthorization: z.boolean().optional().openapi({
    description:
      "Pass the client's own Authorization on. Only for secrets that are no OAuth tokens, with the router's key in X-Sampling-Router-Key.",
  }),
  supportedModalities: z.boolean().optional().openapi({
    description:
      "Tell the server of the modalities that can be produced. Strict servers reject it.",
  }),
  policy: serverPolicy.optional(),
  oauth: oauthInput.nullish(),
};
export const serverInput = z
  .strictObject({ slug, url, sampling: z.enum(samplingModes), ...serverFigures })
  .openapi("ServerInput");
export const serverPatch = z
  .strictObject({
    url: url.optional(),
    sampling: z.enum(samplingModes).optional(),
    ...serverFigures,
  })
  .openapi("ServerPatch", { description: "headers, policy and oauth replace what there is." });

export const server = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    slug,
    url: z.string(),
    headerNames: z.array(z.string()),
    forwardAuthorization: z.boolean(),
    sampling: z.enum(samplingModes),
    supportedModalities: z.boolean(),
    policy: serverPolicy,
    oauth: z
      .object({
        ...clientFigures,
        hasSecret: z.boolean(),
        tokenEndpoint: z.string().nullable(),
        authorizationEndpoint: z.string().nullable(),
        scope: z.string().nullable(),
        resource: z.string().nullable(),
      })
      .nullable(),
    learnt: z
      .object({
        bareCapabilities: z.boolean().optional(),
        era: z.enum(["legacy", "modern"]).optional(),
        beginsSessions: z.boolean().optional(),
      })
      .openapi({ description: "What the router found out by talking to it." }),
    status: z.enum(["active", "failing"]).openapi({
      description: "failing: it answered 401, or its authorization server gives no token.",
    }),
    createdAt: millis,
    updatedAt: millis,
  })
  .openapi("Server");

export const authorizationStart = z
  .object({ authorizationUrl: z.string(), state: z.string(), expiresAt: millis })
  .openapi("AuthorizationStart", {
    description: "Send a person's browser there; they come back to /oauth/callback, once.",
  });
export const serverCheck = z
  .object({
    ok: z.boolean().openapi({ description: "A working MCP server, which lets the router in." }),
    status: z
      .int()
      .nullable()
      .openapi({ description: "HTTP status of its answer; null: none came." }),
    detail: z.string().openapi({ description: "What was found, or what is wrong, in a sentence." }),
    era: z.enum(["legacy", "modern"]).nullable(),
    name: z.string().nullable().openapi({ description: "As the server calls itself." }),
    tools: z.int().nullable().openapi({ description: "How many tools it lists." }),
  })
  .openapi("ServerCheck");
