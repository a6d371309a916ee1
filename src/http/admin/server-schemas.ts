/** Registered servers. Header values and client secrets are write-only. */
import { z } from "@hono/zod-openapi";
import type { ServerPolicy } from "../../domain/choice/policy.ts";
import { oauthGrants, oauthOwners } from "../../domain/servers/oauth.ts";
import { authModes, bridgeModes, samplingModes } from "../../domain/servers/server.ts";
import { limits, removableLimits } from "./limit-schemas.ts";
import { approvalRule, policy } from "./policy-schemas.ts";
import { line, millis, orNull, slug, type ShapeOf } from "./schemas.ts";

const url = line(2_000).openapi({ example: "https://mcp.example.com/mcp" });
// The domain validates names and values.
const headers = z.record(z.string().max(200), z.string().max(8_192)).openapi({
  description: "Static headers, values included. They are sealed and never come back.",
});

const passHeaders = z
  .array(line(100))
  .max(32)
  .openapi({
    description:
      "Names of clients' headers that go on to the server, beside those of the protocol. None, unless said.",
    example: ["X-Workspace"],
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
    approval: approvalRule.optional(),
  } satisfies ShapeOf<ServerPolicy>)
  .openapi("ServerPolicy", { description: "On top of the tenant's policy and the key's limits." });

const grant = z.enum(oauthGrants);
const clientId = line(500);
const per = z.enum(oauthOwners).optional().openapi({
  description:
    "user: each person connects an account of their own at the server, at /oauth/connect. tenant, the default: all share the account that an administrator authorized.",
});
const oauthInput = z
  .strictObject({
    grant,
    clientId: clientId.nullish().openapi({
      description:
        "As whom the router is registered with the authorization server. Absent, with authorization_code: the router makes itself known, by its client metadata document or by dynamic registration.",
    }),
    clientSecret: z.string().min(1).max(4_000).nullish(),
    tokenEndpoint: url.nullish(),
    authorizationEndpoint: url.nullish(),
    scope: z
      .string()
      .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, "Scopes, space-separated.")
      .max(2_000)
      .nullish(),
    resource: url.nullish(),
    per,
  })
  .openapi("OauthInput", {
    description:
      "The router as the tenant's own OAuth client. Absent endpoints are discovered by the server's metadata.",
  });

const forwardAuthorization = z.boolean().openapi({
  description:
    "Pass the client's own Authorization on. Only for secrets that are no OAuth tokens, with the router's key in X-Sampling-Router-Key.",
});
const supportedModalities = z.boolean().openapi({
  description: "Tell the server of the modalities that can be produced. Strict servers reject it.",
});
const auth = z.enum(authModes).openapi({
  description:
    "How MCP clients show who they are: keys: an API key. oauth: an access token that a person consented to. both, the default: either. OAuth needs PUBLIC_URL.",
});
const bridge = z.enum(bridgeModes).openapi({
  description:
    "always: server/discover of an older server is answered by the router, which clients of 2026-07-28 alone need. fallback, the default: it is refused, and clients of both speak the older revision.",
});
export const serverInput = z
  .strictObject({
    slug,
    url,
    sampling: z.enum(samplingModes),
    headers: headers.optional(),
    passHeaders: passHeaders.optional(),
    forwardAuthorization: forwardAuthorization.optional(),
    supportedModalities: supportedModalities.optional(),
    auth: auth.optional(),
    bridge: bridge.optional(),
    policy: serverPolicy.optional(),
    oauth: orNull(oauthInput).optional(),
  })
  .openapi("ServerInput");

/** RFC 7396. */
const serverPolicyPatch = z
  .strictObject({
    limits: removableLimits.nullish(),
    maxTokens: maxTokens.nullable(),
    allowedModels: allowedModels.nullable(),
    deniedModels: deniedModels.nullable(),
    toolRounds: toolRounds.nullable(),
    disabled: z.boolean().nullish(),
    approval: orNull(approvalRule).optional(),
  })
  .openapi("ServerPolicyPatch");
export const serverPatch = z
  .strictObject({
    url: url.optional(),
    sampling: z.enum(samplingModes).optional(),
    headers: headers.nullish(),
    passHeaders: passHeaders.nullish(),
    forwardAuthorization: forwardAuthorization.nullish(),
    supportedModalities: supportedModalities.nullish(),
    auth: auth.optional(),
    bridge: bridge.nullish(),
    policy: orNull(serverPolicyPatch).optional(),
    oauth: orNull(oauthInput).optional(),
  })
  .openapi("ServerPatch", {
    description:
      "A merge patch (RFC 7396): absent members stay, null takes one away. headers and oauth hold secrets, and replace what there is.",
  });

export const server = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    slug,
    url: z.string(),
    headerNames: z.array(z.string()),
    passHeaders: z.array(z.string()),
    forwardAuthorization: z.boolean(),
    sampling: z.enum(samplingModes),
    supportedModalities: z.boolean(),
    auth: z.enum(authModes),
    bridge: z.enum(bridgeModes),
    policy: serverPolicy,
    oauth: z
      .object({
        grant,
        clientId: clientId.nullable(),
        hasSecret: z.boolean(),
        tokenEndpoint: z.string().nullable(),
        authorizationEndpoint: z.string().nullable(),
        scope: z.string().nullable(),
        resource: z.string().nullable(),
        per,
      })
      .nullable(),
    learnt: z
      .object({
        bareCapabilities: z.boolean().optional(),
        era: z.enum(["legacy", "modern"]).optional(),
        beginsSessions: z.boolean().optional(),
        issuer: z.string().optional().openapi({
          description: "The authorization server that the entry's OAuth client belongs to.",
        }),
        scopes: z.array(z.string()).optional().openapi({
          description: "OAuth scopes that it asked for in answer to single requests.",
        }),
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

export const serverInstall = z
  .object({
    url: z.string().openapi({ description: "The server's address behind the router." }),
    keyVariable: z.string().openapi({
      description: "The environment variable from which some of the texts take an API key.",
    }),
    snippets: z.array(
      z.object({
        client: z.string().openapi({ example: "VS Code" }),
        where: z.string().openapi({ description: "Where the text goes." }),
        text: z.string(),
        link: z.string().nullable().openapi({
          description: "An address that adds the server at one click; null: the client has none.",
        }),
      }),
    ),
  })
  .openapi("ServerInstall");
