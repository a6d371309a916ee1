/** Registered servers. Header values and client secrets are write-only. */
import { z } from "@hono/zod-openapi";
import type { ServerPolicy } from "../../domain/choice/policy.ts";
import { oauthGrants, oauthOwners } from "../../domain/servers/oauth.ts";
import { authModes, bridgeModes, samplingModes } from "../../domain/servers/server.ts";
import { problemWithEndpoint } from "../../domain/servers/upstreams.ts";
import { limits, removableLimits } from "./limit-schemas.ts";
import { approvalRule, policy } from "./policy-schemas.ts";
import { line, millis, orNull, secretHeaders, slug, type ShapeOf } from "./schemas.ts";

/** Private addresses, which the operator may allow, are rejected later. */
const url = line(2_000)
  .superRefine((text, context) => {
    const message = problemWithEndpoint(text, { allowPrivate: true });
    if (message !== null) context.addIssue({ code: "custom", message });
  })
  .openapi({ example: "https://mcp.example.com/mcp" });
const passHeaders = z
  .array(line(100))
  .max(32)
  .openapi({
    description:
      "Client headers to forward to the server, in addition to protocol headers. Default: none.",
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
    disabled: z.boolean().optional().openapi({ description: "Disables the server's sampling." }),
    approval: approvalRule.optional(),
  } satisfies ShapeOf<ServerPolicy>)
  .openapi("ServerPolicy", {
    description: "Applies in addition to the tenant's policy and the key's limits.",
  });

const grant = z.enum(oauthGrants);
const clientId = line(500);
const per = z.enum(oauthOwners).optional().openapi({
  description:
    "user: each person connects their own account at /oauth/connect. tenant (default): all share the account that an administrator authorized.",
});
const oauthInput = z
  .strictObject({
    grant,
    clientId: clientId.nullish().openapi({
      description:
        "The router's client id at the authorization server. If missing with authorization_code, the router uses its client metadata document or dynamic registration.",
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
      "The router as the tenant's OAuth client. Missing endpoints are discovered from the server's metadata.",
  });

const era = z.enum(["legacy", "modern"]);
const forwardAuthorization = z.boolean().openapi({
  description:
    "Forward the client's Authorization. Only for secrets that aren't OAuth tokens, with the router's key in X-Sampling-Router-Key.",
});
const supportedModalities = z.boolean().openapi({
  description: "Advertise the modalities that the router can produce. Strict servers reject it.",
});
const auth = z.enum(authModes).openapi({
  description:
    "How MCP clients authenticate. keys: API keys. oauth: access tokens. both (default): either. OAuth needs PUBLIC_URL.",
});
const bridge = z.enum(bridgeModes).openapi({
  description:
    "always: the router answers server/discover for a legacy server and translates, for 2026-07-28 clients. fallback (default): it is refused, and clients with both eras use the legacy one.",
});
const parking = z.boolean().openapi({
  description:
    "For 2026-07-28 clients of a legacy server: a call waits while its client answers the server's questions, up to 5 minutes. Each call of a client with elicitation has a session of its own. Node host only.",
});
export const serverInput = z
  .strictObject({
    slug,
    url,
    sampling: z.enum(samplingModes),
    headers: secretHeaders.optional(),
    passHeaders: passHeaders.optional(),
    forwardAuthorization: forwardAuthorization.optional(),
    supportedModalities: supportedModalities.optional(),
    auth: auth.optional(),
    bridge: bridge.optional(),
    parking: parking.optional(),
    policy: serverPolicy.optional(),
    oauth: orNull(oauthInput).optional(),
  })
  .openapi("ServerInput");

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
    headers: secretHeaders.nullish(),
    passHeaders: passHeaders.nullish(),
    forwardAuthorization: forwardAuthorization.nullish(),
    supportedModalities: supportedModalities.nullish(),
    auth: auth.optional(),
    bridge: bridge.nullish(),
    parking: parking.nullish(),
    policy: orNull(serverPolicyPatch).optional(),
    oauth: orNull(oauthInput).optional(),
  })
  .openapi("ServerPatch", {
    description:
      "A merge patch (RFC 7396): missing members are kept, null removes one. headers and oauth contain secrets and are replaced as a whole.",
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
    parking: z.boolean(),
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
    learned: z
      .object({
        bareCapabilities: z.boolean().optional(),
        era: era.optional(),
        acceptsInitialize: z.boolean().optional(),
        issuer: z.string().optional().openapi({
          description: "The authorization server of the entry's OAuth client.",
        }),
        scopes: z.array(z.string()).optional().openapi({
          description: "OAuth scopes that single requests needed.",
        }),
        lastCheck: z
          .object({
            at: millis,
            ok: z.boolean(),
            detail: z.string(),
            era: era.nullable().optional(),
            tools: z.int().nullable().optional(),
          })
          .optional(),
      })
      .openapi({ description: "What the router learned about the server." }),
    status: z.enum(["active", "failing"]).openapi({
      description: "failing: it returns 401, or its authorization server gives no token.",
    }),
    createdAt: millis,
    updatedAt: millis,
  })
  .openapi("Server");

export const authorizationStart = z
  .object({ authorizationUrl: z.string(), state: z.string(), expiresAt: millis })
  .openapi("AuthorizationStart", {
    description: "Open in a person's browser; valid once. It returns to /oauth/callback.",
  });
export const serverCheck = z
  .object({
    ok: z
      .boolean()
      .openapi({ description: "Whether it is a working MCP server that accepts the router." }),
    status: z.int().nullable().openapi({ description: "HTTP status; null without a response." }),
    detail: z.string().openapi({ description: "The result or problem, in a sentence." }),
    era: era.nullable(),
    name: z.string().nullable().openapi({ description: "The server's name for itself." }),
    tools: z.int().nullable().openapi({ description: "Number of tools." }),
  })
  .openapi("ServerCheck");

export const serverInstall = z
  .object({
    url: z.string().openapi({ description: "The server's URL at the router." }),
    keyVariable: z.string().openapi({
      description: "The environment variable for the API key in some of the texts.",
    }),
    snippets: z.array(
      z.object({
        client: z.string().openapi({ example: "VS Code" }),
        where: z.string().openapi({ description: "Where to put the text." }),
        text: z.string(),
        link: z.string().nullable().openapi({
          description: "A one-click link that adds the server; null if the client has none.",
        }),
      }),
    ),
  })
  .openapi("ServerInstall");
