/** Describes `/v1` for callers. The codecs in `mcp/` validate requests. */
import { z } from "@hono/zod-openapi";
import { exclusionReasons } from "../../domain/requirements.ts";
import { modalities } from "../../domain/modality.ts";
import { reasons } from "../../domain/refusals.ts";
import { approvalStages } from "../../domain/sampling/approval.ts";
import { approvalCondition } from "./approval-schemas.ts";

const priority = z.number().min(0).max(1).optional();
const figure = z.number();

const block = z
  .looseObject({ type: z.enum(["text", "image", "audio", "tool_use", "tool_result"]) })
  .openapi("ContentBlock", {
    description: "An MCP content block, for example text.",
    example: { type: "text", text: "Say hello." },
  });

export const samplingParams = z
  .looseObject({
    messages: z
      .array(
        z.looseObject({
          role: z.enum(["user", "assistant"]),
          content: z.union([block, z.array(block)]),
        }),
      )
      .min(1),
    maxTokens: z.int().min(1),
    modelPreferences: z
      .looseObject({
        hints: z.array(z.looseObject({ name: z.string().optional() })).optional(),
        costPriority: priority,
        speedPriority: priority,
        intelligencePriority: priority,
      })
      .optional(),
    systemPrompt: z.string().optional(),
    includeContext: z.enum(["none", "thisServer", "allServers"]).optional(),
    temperature: z.number().optional(),
    stopSequences: z.array(z.string()).optional(),
    tools: z.array(z.looseObject({ name: z.string() })).optional(),
    toolChoice: z.looseObject({ mode: z.enum(["auto", "required", "none"]).optional() }).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    _meta: z.record(z.string(), z.unknown()).optional(),
  })
  .openapi("SamplingParams", {
    description: "The params of MCP's sampling/createMessage.",
    example: {
      messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
      maxTokens: 100,
    },
  });

const candidate = z
  .looseObject({
    provider: z.string(),
    model: z.string(),
    score: figure.optional().openapi({ description: "0 to 1; missing if the model is excluded." }),
    axes: z.object({ cost: figure, speed: figure, intelligence: figure }).optional(),
    matchedHint: z.string().optional(),
    viaEquivalence: z.literal(true).optional(),
    isCopy: z.literal(true).optional().openapi({
      description: "Another provider's copy of an earlier candidate.",
    }),
    estimated: z.literal(true).optional().openapi({
      description: "The intelligence tier was estimated from the price.",
    }),
    isDefault: z.literal(true).optional().openapi({
      description: "Preferred whatever its score, because no priority is higher than the others.",
    }),
    isFallback: z.literal(true).optional().openapi({
      description: "The policy allows this model as a fallback for the named one.",
    }),
    excludedBy: z.enum(exclusionReasons).optional(),
  })
  .openapi("Candidate");

export const routeDecision = z
  .looseObject({
    provider: z.string(),
    model: z.string(),
    candidates: z.array(candidate),
    excluded: z.record(z.string(), z.int()).openapi({
      description: "Number of further excluded models by reason.",
    }),
    requirements: z.looseObject({
      inputModalities: z.array(z.enum(modalities)),
      outputModalities: z.array(z.enum(modalities)),
      tools: z.boolean(),
      inputTokens: z.int(),
      maxTokens: z.int(),
    }),
    weights: z.object({ cost: figure, speed: figure, intelligence: figure }),
    estimate: z.looseObject({
      inputTokens: z.int(),
      outputTokens: z.int(),
      costUsd: z.number().nullable(),
    }),
    catalogueVersion: z.string(),
    notes: z.array(z.string()),
    approval: z
      .object({
        stages: z.array(z.enum(approvalStages)),
        conditions: z.array(approvalCondition),
        maxCostUsd: z.number().nullable(),
      })
      .optional()
      .openapi({ description: "Absent if the call would run without approval." }),
  })
  .openapi("RouteDecision");

const requestId = z.union([z.string(), z.number()]);
export const rpcMessage = z
  .looseObject({
    jsonrpc: z.literal("2.0"),
    id: requestId.optional().openapi({ description: "Missing for notifications." }),
    method: z.string().openapi({ example: "sampling-router/createMessage" }),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .openapi("RpcMessage");

const decision = z
  .looseObject({
    requestId: z.string(),
    provider: z.string(),
    model: z.string(),
    attempts: z.int(),
    usage: z.looseObject({ inputTokens: z.int(), outputTokens: z.int() }),
    costUsd: z.number().nullable(),
    timingMs: z.record(z.string(), z.number()),
  })
  .openapi("SamplingDecision");

const result = z
  .looseObject({
    role: z.enum(["user", "assistant"]).optional(),
    content: z.union([block, z.array(block)]).optional(),
    model: z.string().optional(),
    stopReason: z.string().optional(),
    _meta: z.looseObject({ "sampling-router/decision": decision.optional() }).optional(),
  })
  .openapi("RpcResult", { description: "Result of sampling; other methods return MCP results." });

const rpcError = z
  .object({
    code: z.int(),
    message: z.string(),
    data: z
      .looseObject({ reason: z.enum(reasons), requestId: z.string(), retryable: z.boolean() })
      .openapi("RefusalData", {
        description: "Further members depend on the reason: see docs/errors.md.",
      }),
  })
  .openapi("RpcError");

export const rpcAnswer = z
  .object({
    jsonrpc: z.literal("2.0"),
    id: requestId.optional(),
    result: result.optional(),
    error: rpcError.optional(),
  })
  .openapi("RpcAnswer", { description: "Contains a result or an error." });
