/** What is looked at: sessions, audit records, the log of admin actions. */
import { z } from "@hono/zod-openapi";
import { reasons } from "../../domain/refusals.ts";
import { outcomes } from "../../domain/audit.ts";
import { millis } from "./schemas.ts";

const anyObject = z.record(z.string(), z.unknown());
export const session = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    keyId: z.string(),
    revision: z.string(),
    capabilities: anyObject.openapi({ description: "As declared, raw." }),
    clientInfo: anyObject,
    serverId: z.string().nullable().openapi({ description: "the server it was begun with" }),
    upstreamId: z.string().nullable().openapi({ description: "the server's own session id" }),
    told: anyObject.nullable().openapi({ description: "Capabilities the server was told, raw." }),
    createdAt: millis,
    lastUsedAt: millis,
    expiresAt: millis,
  })
  .openapi("Session");

export const record = z
  .object({
    id: z.string(),
    who: z.object({
      tenantId: z.string(),
      keyId: z.string(),
      sessionId: z.string().nullable(),
      serverId: z.string().nullable(),
      tool: z.string().nullable().openapi({ description: "the tool that was being called" }),
      clientName: z.string().nullable(),
      clientVersion: z.string().nullable(),
      revision: z.string().nullable(),
    }),
    createdAt: millis,
    asked: anyObject.nullable(),
    contentSha256: z.string(),
    outcome: z.enum(outcomes),
    reason: z.enum(reasons).nullable(),
    reasonDetail: z.string().nullable(),
    decision: anyObject.nullable(),
    attempts: z.array(anyObject),
    reservedTokens: z.int().nullable(),
    usage: z
      .object({ inputTokens: z.int(), outputTokens: z.int(), estimated: z.boolean() })
      .nullable(),
    costMicroUsd: z.int().nullable(),
    overshoot: z.boolean(),
    model: z.string().nullable(),
    timing: anyObject.nullable(),
    totalMs: z.int().nullable(),
    overheadMs: z.int().nullable(),
    settledAt: millis.nullable(),
    captured: z.boolean(),
  })
  .openapi("SamplingRequest", { description: "The audit record of one sampling request." });
export const recordWithContent = record
  .extend({ content: z.unknown().openapi({ description: "Only when the policy captured it." }) })
  .openapi("SamplingRequestWithContent");
/** Digits, and not whatever `Number` makes of a text: an empty one would be 0. */
const queryMillis = z
  .string()
  .regex(/^\d{1,15}$/, "A whole number of milliseconds.")
  .transform(Number)
  .optional();
export const recordFilter = z.object({
  from: queryMillis.openapi({ description: "ms since the epoch, inclusive" }),
  to: queryMillis.openapi({ description: "ms since the epoch, exclusive" }),
  outcome: z.enum(outcomes).optional(),
  model: z.string().optional().openapi({ example: "openai/gpt-5.4-mini" }),
  key: z.string().optional(),
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
