import { z } from "@hono/zod-openapi";
import { faultCodes } from "../../domain/attempts.ts";
import { modalities } from "../../domain/modality.ts";
import { figureSources } from "../../domain/models/provenance.ts";
import { sendings } from "../../domain/models/reasoning-control.ts";
import { efforts } from "../../domain/requirements.ts";
import { like, modelId } from "./model-names.ts";
import { cloudMembers, shownCloudMembers } from "./cloud-schemas.ts";
import { count, millis, name, networkFault, optionalLine, secretHeaders } from "./schemas.ts";

const modalityList = z.array(z.enum(modalities)).min(1);
const price = z.number().min(0).max(100_000).nullable();
const tier = z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5)]);
const classPrice = price.optional();
/** Unknown prices default to that of plain input. */
const classPrices = {
  cacheWriteUsdPerMTok: classPrice.openapi({
    description: "input written to the provider's cache",
  }),
  cacheWriteHourUsdPerMTok: classPrice.openapi({ description: "the same, for an hour" }),
  audioInputUsdPerMTok: classPrice.openapi({ description: "audio in the input" }),
  cachedAudioInputUsdPerMTok: classPrice.openapi({ description: "audio read from that cache" }),
};
const priceTier = z.strictObject({
  aboveInputTokens: count,
  inputUsdPerMTok: z.number().min(0).max(100_000),
  outputUsdPerMTok: z.number().min(0).max(100_000),
  cachedInputUsdPerMTok: classPrice,
  ...classPrices,
});
const mediaPrice = z.number().min(0).max(100_000).optional();
const mediaPrices = z
  .strictObject({
    imageInputUsdPerMTok: mediaPrice,
    imageOutputUsdPerMTok: mediaPrice,
    usdPerImage: mediaPrice,
    usdPerAudioMinute: mediaPrice,
    usdPerMCharacters: mediaPrice,
  })
  .openapi("MediaPrices", {
    description: "Prices of images and audio in their own units.",
  });

const effort = z.enum(efforts);
const reasoningControl = z
  .strictObject({
    efforts: z.array(effort).min(1).max(efforts.length).openapi({ description: "Least first." }),
    byDefault: effort.openapi({ description: "The provider's default." }),
    sentAs: z.enum(sendings),
    budgets: z.partialRecord(effort, z.int().min(0).max(1_000_000_000)).optional().openapi({
      description: "Tokens per effort, if the provider takes a number.",
    }),
    source: z.string().max(500),
  })
  .openapi("ReasoningControl", { description: "Missing if no details are known." });
const releasedAt = z
  .string()
  .regex(/^\d{4}-\d{2}(-\d{2})?$/, "YYYY-MM-DD or YYYY-MM.")
  .nullable()
  .openapi({ description: "Day or month of the release; breaks ties." });
const retiresAt = z.iso.date().nullable().openapi({
  description: "The day of the provider's shutdown, from which the model is retired.",
});
const scores = z.record(z.string().max(200), z.number()).openapi({
  description:
    "Published results by benchmark and setting. Only compared for the same setting and within a tier.",
});

const modelFigures = {
  name: name.optional(),
  family: optionalLine(100).nullable().optional(),
  aliases: z.array(modelId).max(50).optional(),
  inputModalities: modalityList.optional().openapi({
    description: "Inputs. Default: as in the catalogue, otherwise text.",
  }),
  outputModalities: modalityList.optional().openapi({
    description: "Outputs. Default: as in the catalogue, otherwise text.",
  }),
  contextTokens: count.nullable().optional(),
  outputTokens: count.nullable().optional(),
  tools: z.boolean().optional().openapi({
    description: "Whether the model uses tools. Default: as in the catalogue, otherwise false.",
  }),
  temperature: z.boolean().optional(),
  prefill: z.boolean().optional().openapi({
    description:
      "Whether the model continues a last assistant message. Default: as its provider documents.",
  }),
  reasoning: z.boolean().optional(),
  reasoningControl: reasoningControl.optional(),
  inputUsdPerMTok: price.optional(),
  outputUsdPerMTok: price.optional(),
  cachedInputUsdPerMTok: price.optional().openapi({
    description: "If only the plain input price is set, it also applies to cached input.",
  }),
  ...classPrices,
  priceTiers: z.array(priceTier).max(10).optional(),
  mediaPrices: mediaPrices.optional(),
  intelligence: tier.nullable().optional(),
  speed: tier.nullable().optional(),
  status: z.enum(["active", "preview", "retired"]).optional(),
  releasedAt: releasedAt.optional(),
  retiresAt: retiresAt.optional(),
  scores: scores.optional(),
};
export const modelChange = z.strictObject(modelFigures).openapi("ModelChange");
export const declaredModel = z
  .strictObject({ id: modelId, like: like.optional(), ...modelFigures })
  .openapi("DeclaredModel");
export const model = z
  .object({
    provider: z.string(),
    id: z.string(),
    like: like.optional(),
    name,
    family: z.string().nullable(),
    aliases: z.array(z.string()),
    canonicalName: z.string().nullable().openapi({
      description: "Maker and model, independent of the provider; null if unknown.",
      example: "anthropic/claude-sonnet-5",
    }),
    inputModalities: modalityList,
    outputModalities: modalityList,
    contextTokens: z.int().nullable(),
    outputTokens: z.int().nullable(),
    tools: z.boolean(),
    temperature: z.boolean(),
    prefill: z.boolean(),
    reasoning: z.boolean(),
    reasoningControl: reasoningControl.optional(),
    inputUsdPerMTok: price,
    outputUsdPerMTok: price,
    cachedInputUsdPerMTok: price,
    ...classPrices,
    priceTiers: z.array(priceTier),
    mediaPrices: mediaPrices.optional(),
    intelligence: tier.nullable(),
    speed: tier.nullable(),
    status: z.enum(["active", "preview", "retired"]),
    releasedAt: releasedAt.optional(),
    retiresAt: retiresAt.optional(),
    scores: scores.optional(),
    source: z
      .enum(["catalogue", "provider", "credential", "override"])
      .openapi({ description: "The latest source of the model." }),
    sources: z.partialRecord(modelChange.keyof(), z.enum(figureSources)).openapi({
      description:
        "Sources of figures that aren't from `source`; `catalogue` means the built-in catalogue. " +
        "`unverified`: built-in, but not confirmed by the provider. " +
        "`estimated`: derived from the price, for models of unclassified lines. " +
        "`provider`: only in the provider's list.",
      example: { inputUsdPerMTok: "models.dev", speed: "override" },
    }),
    available: z.boolean().openapi({
      description: "Can be selected now: working credential, allowed, no open circuit.",
    }),
    measured: z
      .object({ p50Ms: z.int(), tokensPerSecond: z.number(), samples: z.int() })
      .nullable()
      .openapi({ description: "Recent measurements; null if there are too few." }),
  })
  .openapi("Model");

export const provider = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,49}$/, "Use only lowercase letters, digits and hyphens.")
  .openapi({ example: "openai" });
const secret = z.string().max(4_096);
const address = optionalLine(500);
export const credentialInput = z
  .strictObject({
    provider,
    name,
    apiKey: secret.optional().openapi({
      description: "Required, except for clouds and custom endpoints without a key.",
    }),
    baseUrl: address.nullish(),
    models: z.array(declaredModel).max(500).nullish(),
    headers: secretHeaders.nullish(),
    ...cloudMembers,
  })
  .openapi("CredentialInput");
export const credentialPatch = z
  .strictObject({
    name: name.optional(),
    apiKey: secret.optional(),
    baseUrl: address.nullable().optional(),
    models: z.array(declaredModel).max(500).nullable().optional(),
    headers: secretHeaders.nullish(),
    ...cloudMembers,
  })
  .openapi("CredentialPatch");
const shownFault = z.object({
  kind: z.string(),
  status: z.int().nullable(),
  code: z.enum(faultCodes).optional(),
  network: networkFault.optional(),
});
const found = z.object({ at: millis, ok: z.boolean(), fault: shownFault.nullable() });
export const credential = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    provider: z.string(),
    name,
    baseUrl: z.string().nullable(),
    models: z.array(declaredModel).nullable(),
    headerNames: z.array(z.string()).openapi({
      description: "Names of the headers that requests carry in addition.",
    }),
    status: z.enum(["active", "failing"]),
    listing: z.object({ at: millis, models: z.int() }).nullable().openapi({
      description:
        "Number of models in the provider's list for the key, and when it was read. Unlisted models aren't selected. null if there is no list.",
    }),
    lastCheck: found
      .nullable()
      .openapi({ description: "null if it wasn't checked since its key was set." }),
    lastCall: found.nullable().optional().openapi({
      description:
        "In lists: the last call since its last change, among the newest 200 requests. null if unknown.",
    }),
    ...shownCloudMembers,
    createdAt: millis,
    updatedAt: millis,
  })
  .openapi("Credential", { description: "A credential without its key." });
export const credentialCheck = z
  .object({
    ok: z.boolean(),
    model: z.string().nullable(),
    fault: shownFault.nullable(),
    listed: z.array(z.string()).nullable().openapi({
      description:
        "The ids in the provider's /v1/models, for use in `models`; null if it has no list.",
    }),
    host: z.string().nullable().openapi({
      description:
        "The `provider` of the server that answers, if the credential has another: its errors are then understood.",
      example: "vllm",
    }),
    proposed: z.array(declaredModel).openapi({
      description: "Listed models that match catalogue models, with `like`, for use as `models`.",
    }),
  })
  .openapi("CredentialCheck");
