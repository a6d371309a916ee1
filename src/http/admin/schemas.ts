/** The admin API's shapes: what is accepted, what is answered, and what OpenAPI says of both. */
import { z } from "@hono/zod-openapi";
import { scopes } from "../../domain/access.ts";
import { outcomes } from "../../domain/audit.ts";
import { modalities } from "../../domain/modality.ts";
import { formats, parsePredicate, verbosities } from "../../domain/negotiation.ts";

const millis = z.int().openapi({ description: "ms since the epoch", example: 1_795_132_800_000 });
const count = z.int().min(1).max(1_000_000_000);

export const slug = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, "Lower-case letters, digits and hyphens.")
  .openapi({ example: "acme" });
const name = z.string().min(1).max(200);

export const limits = z
  .strictObject({
    requestsPerMinute: count.optional(),
    tokensPerMinute: count.optional(),
    concurrent: count.optional(),
  })
  .openapi("Limits", { description: "An absent limit is none." });

const glob = z.string().min(1).max(200).openapi({ example: "openai/*" });

const priority = z.number().min(0).max(1).optional();
const shapingRule = z
  .strictObject({
    when: z
      .array(
        z
          .string()
          .max(100)
          .refine((text) => parsePredicate(text) !== null, "No tag, !tag, tag=value or tag!=value.")
          .openapi({ example: "format=json" }),
      )
      .max(20),
    set: z.strictObject({
      defaultPriorities: z
        .strictObject({ cost: priority, speed: priority, intelligence: priority })
        .optional(),
      verbosity: z.enum(verbosities).optional(),
      format: z.enum(formats).optional(),
      systemPromptSuffix: z.string().min(1).max(4_000).optional(),
    }),
  })
  .openapi("ShapingRule", {
    description: "Applied when every predicate holds; of several, the last has the word.",
  });

export const policy = z
  .strictObject({
    limits: limits.optional(),
    maxTokens: count.optional().openapi({ description: "A larger maxTokens is lowered to this." }),
    allowedModels: z.array(glob).max(200).optional().openapi({
      description: "Globs over provider/model. Absent: everything. Empty: nothing.",
    }),
    deniedModels: z.array(glob).max(200).optional(),
    capture: z.enum(["none", "full"]).optional().openapi({
      description: "Whether requests and results are kept, sealed. Default: none.",
    }),
    toolRounds: z.int().min(0).max(1_000).optional().openapi({
      description: "Tool-use turns that a request's own history may hold. Default: 25.",
    }),
    rules: z.array(shapingRule).max(50).optional(),
    retentionDays: z.int().min(1).max(3_650).optional(),
    deadlineMs: z.int().min(1_000).max(90_000).optional().openapi({
      description: "ms for all attempts of one call together. Default: 45000.",
    }),
  })
  .openapi("Policy");

export const tenantInput = z.strictObject({ slug, name }).openapi("TenantInput");
export const tenantPatch = z.strictObject({ name }).openapi("TenantPatch");
export const tenant = z
  .object({ id: z.string(), slug, name, version: z.int(), createdAt: millis, policy })
  .openapi("Tenant");

export const keyInput = z
  .strictObject({
    name,
    scopes: z
      .array(z.enum(scopes))
      .min(1)
      .transform((list) => [...new Set(list)]),
    expiresAt: millis.nullish(),
    limits: limits.optional(),
  })
  .openapi("KeyInput");
export const key = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    name,
    scopes: z.array(z.enum(scopes)),
    expiresAt: millis.nullable(),
    revokedAt: millis.nullable(),
    limits,
    createdAt: millis,
  })
  .openapi("Key");
export const newKey = key
  .extend({ key: z.string().openapi({ description: "The API key. Shown this once." }) })
  .openapi("NewKey");

const modalityList = z.array(z.enum(modalities)).min(1);
const price = z.number().min(0).max(100_000).nullable();
const tier = z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5)]);
const priceTier = z.strictObject({
  aboveInputTokens: count,
  inputUsdPerMTok: z.number().min(0),
  outputUsdPerMTok: z.number().min(0),
});

const modelFigures = {
  name: name.optional(),
  family: z.string().max(100).nullable().optional(),
  aliases: z.array(z.string().min(1).max(200)).max(50).optional(),
  inputModalities: modalityList.optional(),
  outputModalities: modalityList.optional(),
  contextTokens: count.nullable().optional(),
  outputTokens: count.nullable().optional(),
  tools: z.boolean().optional(),
  temperature: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  inputUsdPerMTok: price.optional(),
  outputUsdPerMTok: price.optional(),
  cachedInputUsdPerMTok: price.optional(),
  priceTiers: z.array(priceTier).max(10).optional(),
  intelligence: tier.nullable().optional(),
  speed: tier.nullable().optional(),
  status: z.enum(["active", "preview", "retired"]).optional(),
};
export const modelChange = z.strictObject(modelFigures).openapi("ModelChange");
export const declaredModel = z
  .strictObject({ id: z.string().min(1).max(200), ...modelFigures })
  .openapi("DeclaredModel");
export const model = z
  .object({
    provider: z.string(),
    id: z.string(),
    name,
    family: z.string().nullable(),
    aliases: z.array(z.string()),
    inputModalities: modalityList,
    outputModalities: modalityList,
    contextTokens: z.int().nullable(),
    outputTokens: z.int().nullable(),
    tools: z.boolean(),
    temperature: z.boolean(),
    reasoning: z.boolean(),
    inputUsdPerMTok: price,
    outputUsdPerMTok: price,
    cachedInputUsdPerMTok: price,
    priceTiers: z.array(priceTier),
    intelligence: tier.nullable(),
    speed: tier.nullable(),
    status: z.enum(["active", "preview", "retired"]),
    source: z.enum(["catalogue", "credential", "override"]),
    available: z.boolean().openapi({ description: "Has a credential, and the policy allows it." }),
  })
  .openapi("Model");

export const provider = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,49}$/, "Lower-case letters, digits and hyphens.")
  .openapi({ example: "openai" });
const secret = z.string().max(4_096);
export const credentialInput = z
  .strictObject({
    provider,
    name,
    apiKey: secret,
    baseUrl: z.string().max(500).nullish(),
    models: z.array(declaredModel).max(500).nullish(),
  })
  .openapi("CredentialInput");
export const credentialPatch = z
  .strictObject({
    name: name.optional(),
    apiKey: secret.optional(),
    baseUrl: z.string().max(500).nullable().optional(),
    models: z.array(declaredModel).max(500).nullable().optional(),
  })
  .openapi("CredentialPatch");
export const credential = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    provider: z.string(),
    name,
    baseUrl: z.string().nullable(),
    models: z.array(declaredModel).nullable(),
    status: z.enum(["active", "failing"]),
    createdAt: millis,
    updatedAt: millis,
  })
  .openapi("Credential", { description: "The provider's key never comes back." });
export const credentialCheck = z
  .object({
    ok: z.boolean(),
    model: z.string().nullable(),
    fault: z.object({ kind: z.string(), status: z.int().nullable() }).nullable(),
  })
  .openapi("CredentialCheck");

const anyObject = z.record(z.string(), z.unknown());
export const session = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    keyId: z.string(),
    revision: z.string(),
    capabilities: anyObject.openapi({ description: "As declared, raw." }),
    clientInfo: anyObject,
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
      clientName: z.string().nullable(),
      clientVersion: z.string().nullable(),
      revision: z.string().nullable(),
    }),
    createdAt: millis,
    asked: anyObject.nullable(),
    contentSha256: z.string(),
    outcome: z.enum(outcomes),
    reason: z.string().nullable(),
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
const queryMillis = z.coerce.number().int().optional();
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

export const pageQuery = z.object({
  cursor: z.string().max(300).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});
export const problemBody = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    reason: z.string(),
    requestId: z.string(),
  })
  .openapi("Problem", { description: "RFC 9457." });
