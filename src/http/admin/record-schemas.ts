import { idPrefixes } from "../../domain/tenancy/ids.ts";
import { userPrefix } from "../../domain/tenancy/user.ts";
import { z } from "@hono/zod-openapi";
import { faultCodes, faultReaches } from "../../domain/attempts.ts";
import { modalities } from "../../domain/modality.ts";
import { reasons } from "../../domain/refusals.ts";
import { outcomes } from "../../domain/audit/record.ts";
import { usd } from "./limit-schemas.ts";
import { millis, networkFault, orNull, time } from "./schemas.ts";

const anyObject = z.record(z.string(), z.unknown());
export const session = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    keyId: z.string(),
    revision: z.string(),
    capabilities: anyObject.openapi({ description: "As declared, raw." }),
    effective: anyObject.openapi({
      description:
        "What they count as in the session's revision: without fields that it doesn't know, and without known ones that are no objects.",
    }),
    modalities: z.array(z.enum(modalities)).openapi({
      description:
        "In which the client takes answers. Sampling without a list means text. Empty: it declares no sampling.",
    }),
    clientInfo: anyObject,
    serverId: z.string().nullable().openapi({ description: "the server it was begun with" }),
    upstreamId: z.string().nullable().openapi({ description: "the server's own session id" }),
    advertisedCapabilities: anyObject
      .nullable()
      .openapi({ description: "Raw capabilities that the router advertises to the server." }),
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
  why: z.string(),
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
    description: "Images and audio in the units that providers bill. Absent: text only.",
  });

const tokenClasses = z
  .object({
    cacheReadTokens: z
      .int()
      .openapi({ description: "of the input, read from the provider's cache" }),
    cacheReadAudioTokens: z.int().openapi({ description: "of those, audio" }),
    cacheWriteTokens: z.int().openapi({ description: "of the input, written to that cache" }),
    cacheWriteHourTokens: z.int().openapi({ description: "the same, to stay for an hour" }),
    audioInputTokens: z.int().openapi({ description: "of the input, audio" }),
    reasoningTokens: z.int().openapi({ description: "of the output, seen by nobody" }),
  })
  .partial()
  .openapi("TokenClasses", { description: "Parts of the tokens that are priced apart." });

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
      .openapi({ description: "By the policy's modelEndpoints: beside the model's prices." }),
    implausible: z.literal(true).optional().openapi({
      description: "The provider reported what it can't mean: charged as reserved, correctable.",
    }),
  })
  .openapi("TokenUsage");

const attempt = z
  .looseObject({
    provider: z.string(),
    model: z.string(),
    credentialId: z.string(),
    status: z.int().nullable().openapi({ description: "HTTP; null: there was none" }),
    retryable: z.boolean(),
    fault: z.string().nullable().openapi({ description: "null: it answered" }),
    reach: z
      .enum(faultReaches)
      .optional()
      .openapi({ description: "What the fault speaks of. Absent: it answered." }),
    code: z.enum(faultCodes).optional().openapi({
      description: "What the provider's error names, in words of the router's own list.",
    }),
    network: networkFault
      .optional()
      .openapi({ description: "Absent: the fault was none of the network." }),
    billed: z.enum(["yes", "no", "maybe"]),
    latencyMs: z.int(),
    retryAfterMs: z.number().nullable(),
    notes: z.array(z.string()).optional(),
    usage: usageOfCall
      .optional()
      .openapi({ description: "Absent: nothing is known, or nothing was used." }),
    stream: z
      .object({
        firstMs: z.number().nullable().openapi({
          description: "Milliseconds to the first content; null: none came.",
        }),
        how: z.enum(["complete", "cut"]),
        cutBy: z.enum(["client", "provider", "router"]).optional(),
      })
      .optional()
      .openapi({ description: "How a streamed answer ended." }),
    costMicroUsd: z.int().nullable().optional().openapi({
      description: "What was charged for it; null: no known price.",
    }),
  })
  .openapi("Attempt", { description: "One provider call." });

export const record = z
  .object({
    version: z.literal(1).openapi({ description: "of what is sealed" }),
    id: z.string(),
    who: z.object({
      tenantId: z.string(),
      keyId: z.string(),
      user: z.string().optional().openapi({
        description: "Id of the person on whose behalf the key called. Absent: of no person.",
      }),
      sessionId: z.string().nullable(),
      serverId: z.string().nullable(),
      tool: z.string().nullable().openapi({ description: "the tool that was being called" }),
      clientName: z.string().nullable(),
      clientVersion: z.string().nullable(),
      revision: z.string().nullable(),
    }),
    createdAt: millis,
    admittedAt: millis.nullable().openapi({
      description:
        "When the limits counted it, in whose hour and day usage counts it. null: it was refused.",
    }),
    asked: anyObject.nullable().openapi({
      description:
        "Counts and names, no content. `declared`, of a request of 2026-07-28: the capabilities that it declared, by name.",
    }),
    contentSha256: z.string(),
    outcome: z.enum(outcomes),
    reason: z.enum(reasons).nullable(),
    reasonDetail: z.string().nullable(),
    thinned: z.object({ requests: z.int(), from: millis, until: millis }).nullable().openapi({
      description:
        "The record stands for so many requests of its key: a rate limit refused each of them, after the first hundred of that minute. null: it is of one request.",
    }),
    decision: anyObject.nullable().openapi({
      description:
        "`failover` lists the candidates that were reserved, best first: `after` names the reaches of a fault of the first that lead to each. The first ten of `candidates` and those of `failover` have `score` and `axes`. `viaFailover` marks those that no hint asks for, `isLate` those whose ordinary answer is expected to take longer than the call may, `isCopy` those that are the same model as one before them at another place, `estimated` those whose intelligence was estimated from their price, `viaToolLoop` the one that began the tool loop which the call continues; `toolLoop` names the provider and model of that one.",
    }),
    attempts: z.array(attempt),
    reservedTokens: z.int().nullable(),
    usage: orNull(usageOfCall).openapi({
      description: "Of all attempts together; each has its own.",
    }),
    costUsd: z.number().nullable().openapi({ description: "null: unknown, or nothing was called" }),
    costMicroUsd: z.int().nullable().openapi({
      description: "The same in millionths, as the record's seal covers it.",
    }),
    overshoot: z
      .boolean()
      .openapi({ description: "More was charged than reserved, which may block the next." }),
    model: z.string().nullable(),
    timing: anyObject.nullable(),
    totalMs: z.int().nullable(),
    overheadMs: z.int().nullable(),
    settledAt: millis.nullable(),
    correction: correction.nullable().openapi({
      description: "What the operator found out: of an unknown or an implausible one.",
    }),
    replays: z.int().nullable().openapi({
      description: "Times its result was given again; null: it can't be, or no longer.",
    }),
    captured: z.boolean(),
    held: z.literal(true).optional().openapi({
      description: "A person has to approve it. Absent: nobody has to, or it has ended.",
    }),
  })
  .openapi("SamplingRequest", { description: "The audit record of one sampling request." });
export const names = z.record(z.string(), z.string()).openapi({
  description: "What people call the tenant, keys, servers and persons that the answer has by id.",
  example: { srv_1: "github" },
});
export const recordWithContent = record
  .extend({
    content: z.unknown().openapi({ description: "Only when the policy captured it." }),
    providerMessages: z
      .array(z.object({ provider: z.string(), model: z.string(), message: z.string() }))
      .openapi({
        description: "What providers said of failed attempts, masked, 500 characters at most each.",
      }),
    names,
  })
  .openapi("SamplingRequestWithContent");
/** Rejects names used as ids, which would match nothing. */
const idWith = (prefix: string) =>
  z.string().max(200).startsWith(`${prefix}_`, `must be an id: it begins with ${prefix}_`);

export const recordFilter = z.object({
  from: time.optional().openapi({ param: { description: "inclusive" } }),
  to: time.optional().openapi({ param: { description: "exclusive" } }),
  outcome: z.enum(outcomes).optional(),
  model: z.string().optional().openapi({ example: "openai/gpt-5.4-mini" }),
  key: idWith(idPrefixes.key).optional().openapi({ description: "an API key's id" }),
  user: idWith(userPrefix).optional().openapi({ description: "a person's id" }),
  server: idWith(idPrefixes.server).optional().openapi({ description: "a server's id" }),
  session: z.string().optional(),
});

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
