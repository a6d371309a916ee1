import { z } from "@hono/zod-openapi";
import { faultCodes, faultReaches } from "../../domain/attempts.ts";
import { modalities } from "../../domain/modality.ts";
import { reasons } from "../../domain/refusals.ts";
import { outcomes } from "../../domain/audit/record.ts";
import { usd } from "./limit-schemas.ts";
import { millis, networkFault, orNull } from "./schemas.ts";

const anyObject = z.record(z.string(), z.unknown());
export const session = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    keyId: z.string(),
    revision: z.string(),
    capabilities: anyObject.openapi({ description: "As declared." }),
    effective: anyObject.openapi({
      description:
        "The effective capabilities in the session's revision, without unknown or invalid fields.",
    }),
    modalities: z.array(z.enum(modalities)).openapi({
      description:
        "Modalities that the client accepts. Default for sampling: text. Empty without sampling.",
    }),
    clientInfo: anyObject,
    serverId: z.string().nullable().openapi({ description: "the session's server" }),
    upstreamId: z.string().nullable().openapi({ description: "the server's own session id" }),
    advertisedCapabilities: anyObject
      .nullable()
      .openapi({ description: "Capabilities that the router advertises to the server." }),
    requests: z.int().openapi({ description: "Among the last 100,000 requests." }),
    createdAt: millis,
    lastUsedAt: millis,
    expiresAt: millis,
  })
  .openapi("Session");

const found = {
  outcome: z.enum(["succeeded", "failed", "cancelled"]),
  inputTokens: z.int().min(0).max(1_000_000_000),
  outputTokens: z.int().min(0).max(1_000_000_000),
};
const correction = z.object({
  ...found,
  costMicroUsd: z.int(),
  costUsd: z.number(),
  reason: z.string(),
  actor: z.string(),
  at: millis,
});
export const correctionInput = z
  .strictObject({ ...found, costUsd: usd, reason: z.string().trim().min(1).max(500) })
  .openapi("Correction");

const mediaUsage = z
  .object({
    imageInputTokens: z.number(),
    imageOutputTokens: z.number(),
    images: z.number(),
    audioSeconds: z.number(),
    characters: z.number(),
  })
  .partial()
  .openapi("MediaUsage", {
    description: "Images and audio in billing units. Missing for text only.",
  });

const tokenClasses = z
  .object({
    cacheReadTokens: z
      .int()
      .openapi({ description: "of the input, read from the provider's cache" }),
    cacheReadAudioTokens: z.int().openapi({ description: "of cache reads, audio" }),
    cacheWriteTokens: z.int().openapi({ description: "of the input, written to that cache" }),
    cacheWriteHourTokens: z.int().openapi({ description: "the same, for an hour" }),
    audioInputTokens: z.int().openapi({ description: "of the input, audio" }),
    reasoningTokens: z.int().openapi({ description: "of the output, reasoning" }),
  })
  .partial()
  .openapi("TokenClasses", { description: "Tokens with separate prices." });

const usageOfCall = z
  .object({
    inputTokens: z.int(),
    outputTokens: z.int(),
    estimated: z.boolean(),
    classes: tokenClasses.optional(),
    media: mediaUsage.optional(),
    surcharge: z
      .object({ factor: z.number().optional(), feeMicroUsd: z.number().optional() })
      .optional()
      .openapi({
        description:
          "Charges by the policy's modelEndpoints, and the answering place's price relative to the reserved one. Factor 0: the credential declares that calls cost nothing.",
      }),
    implausible: z.literal(true).optional().openapi({
      description: "The reported usage is implausible: charged as reserved, can be corrected.",
    }),
  })
  .openapi("TokenUsage");

const attempt = z
  .looseObject({
    provider: z.string(),
    model: z.string(),
    credentialId: z.string(),
    status: z.int().nullable().openapi({ description: "HTTP status; null without a response" }),
    retryable: z.boolean(),
    fault: z.string().nullable().openapi({ description: "null for a successful attempt" }),
    reach: z
      .enum(faultReaches)
      .optional()
      .openapi({ description: "The error's scope. Missing for a successful attempt." }),
    code: z.enum(faultCodes).optional().openapi({
      description: "The provider's error, as one of the router's codes.",
    }),
    network: networkFault
      .optional()
      .openapi({ description: "Missing unless a network error occurred." }),
    billed: z.enum(["yes", "no", "maybe"]),
    latencyMs: z.int(),
    waitedMs: z.int().optional().openapi({ description: "before the attempt" }),
    retryAfterMs: z.number().nullable(),
    notes: z.array(z.string()).optional(),
    usage: usageOfCall.optional().openapi({ description: "Missing if unknown or unused." }),
    stream: z
      .object({
        firstMs: z.number().nullable().openapi({
          description: "Until the first content; null: none came.",
        }),
        status: z.enum(["complete", "interrupted"]),
        interruptedBy: z.enum(["client", "provider", "router"]).optional(),
      })
      .optional()
      .openapi({ description: "How a streamed answer ended." }),
    costMicroUsd: z.int().nullable().optional().openapi({
      description: "The charge; null without a known price.",
    }),
  })
  .openapi("Attempt", { description: "One provider call." });

export const record = z
  .object({
    version: z.literal(1).openapi({ description: "version of the sealed content" }),
    id: z.string(),
    who: z.object({
      tenantId: z.string(),
      keyId: z.string(),
      user: z.string().optional().openapi({
        description: "Id of the person on whose behalf the call was made.",
      }),
      groups: z.array(z.string()).optional().openapi({
        description: "The person's groups, as named by the token.",
      }),
      sessionId: z.string().nullable(),
      serverId: z.string().nullable(),
      tool: z.string().nullable().openapi({ description: "the tool being called" }),
      clientName: z.string().nullable(),
      clientVersion: z.string().nullable(),
      revision: z.string().nullable(),
    }),
    createdAt: millis,
    admittedAt: millis.nullable().openapi({
      description: "Determines its hour and day in limits and usage; null if it was refused.",
    }),
    asked: anyObject.nullable().openapi({
      description:
        "Counts and names, no content. `declared`: capabilities of a 2026-07-28 request.",
    }),
    contentSha256: z.string(),
    outcome: z.enum(outcomes),
    reason: z.enum(reasons).nullable(),
    reasonDetail: z.string().nullable(),
    omitted: z.object({ requests: z.int(), from: millis, until: millis }).nullable().openapi({
      description:
        "Requests that it represents: rate-limit refusals of its key after the first hundred in a minute; null: one.",
    }),
    decision: anyObject.nullable().openapi({
      description:
        "`failover` lists the reserved candidates, best first; `after` has the error scopes of the first that lead to each. The first ten `candidates` and those in `failover` have `score` and `axes`. `viaFailover`: no hint asks for the model. `isLate`: it is expected to exceed the deadline. `isCopy`: another provider's copy of an earlier candidate. `estimated`: its intelligence was estimated from the price. `viaToolLoop`: it started the tool loop; `toolLoop` has its provider and model.",
    }),
    attempts: z.array(attempt),
    reservedTokens: z.int().nullable(),
    usage: orNull(usageOfCall).openapi({
      description: "All attempts together.",
    }),
    costUsd: z
      .number()
      .nullable()
      .openapi({ description: "null if unknown or nothing was called" }),
    costMicroUsd: z.int().nullable().openapi({
      description: "In millionths of a USD, as sealed.",
    }),
    overshoot: z.boolean().openapi({ description: "More was charged than reserved." }),
    model: z.string().nullable(),
    timing: anyObject.nullable(),
    totalMs: z.int().nullable(),
    overheadMs: z.int().nullable(),
    settledAt: millis.nullable(),
    correction: correction.nullable().openapi({
      description: "The operator's correction of an unknown or implausible call.",
    }),
    replays: z.int().nullable().openapi({
      description: "How often its result was replayed; null if it can't be.",
    }),
    captured: z.boolean(),
    held: z.literal(true).optional().openapi({
      description: "Waits for approval, or if approved for its caller.",
    }),
    approved: z.literal(true).optional(),
  })
  .openapi("SamplingRequest", { description: "The audit record of one sampling request." });
export const names = z.record(z.string(), z.string()).openapi({
  description: "Names of the tenant, keys, servers and people by id.",
  example: { srv_1: "github" },
});
export const recordWithContent = record
  .extend({
    content: z.unknown().openapi({ description: "Only if the policy stores content." }),
    providerMessages: z
      .array(z.object({ provider: z.string(), model: z.string(), message: z.string() }))
      .openapi({
        description:
          "Provider error messages of failed attempts, masked, up to 500 characters each.",
      }),
    names,
  })
  .openapi("SamplingRequestWithContent");
export const event = z
  .object({
    id: z.string(),
    at: millis,
    actor: z.string(),
    action: z.string(),
    tenantId: z.string().nullable(),
    target: z.string(),
    detail: anyObject,
  })
  .openapi("AdminEvent");

export const replayed = z
  .object({
    same: z.boolean(),
    differences: z.array(z.string()),
    recorded: anyObject,
    replayed: anyObject.nullable(),
  })
  .openapi("Replay");
