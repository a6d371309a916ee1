import { z } from "@hono/zod-openapi";
import { faultCodes } from "../../domain/attempts.ts";
import { modalities } from "../../domain/modality.ts";
import { figureSources } from "../../domain/models/provenance.ts";
import { sendings } from "../../domain/models/reasoning.ts";
import { efforts } from "../../domain/requirements.ts";
import { count, line, millis, name, networkFault, optionalLine } from "./schemas.ts";

const modalityList = z.array(z.enum(modalities)).min(1);
const price = z.number().min(0).max(100_000).nullable();
const tier = z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5)]);
const classPrice = price.optional();
/** Unknown prices default to that of plain input. */
const classPrices = {
  cacheWriteUsdPerMTok: classPrice.openapi({
    description: "input written to the provider's cache",
  }),
  cacheWriteHourUsdPerMTok: classPrice.openapi({ description: "the same, to stay for an hour" }),
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
    description: "What images and audio cost in their own units; an absent one is not billed by.",
  });

const effort = z.enum(efforts);
const reasoningControl = z
  .strictObject({
    efforts: z.array(effort).min(1).max(efforts.length).openapi({ description: "Least first." }),
    byDefault: effort.openapi({ description: "What the provider does when nothing is sent." }),
    sentAs: z.enum(sendings),
    budgets: z.partialRecord(effort, z.int().min(0).max(1_000_000_000)).optional().openapi({
      description: "Tokens for each effort, where the provider takes a number of them.",
    }),
    source: z.string().max(500),
  })
  .openapi("ReasoningControl", { description: "Absent: only that the model reasons is known." });
const releasedAt = z
  .string()
  .regex(/^\d{4}-\d{2}(-\d{2})?$/, "YYYY-MM-DD or YYYY-MM.")
  .nullable()
  .openapi({ description: "Day or month of the release; between equals the newer is chosen." });
const retiresAt = z.iso.date().nullable().openapi({
  description:
    "The day on which its provider shuts the model down. From then on it counts as retired.",
});
const scores = z.record(z.string().max(200), z.number()).openapi({
  description:
    "Published results by benchmark and setting. Compared only under the same key and within a tier.",
});

/** HTTP clients remove `.` and `..` from paths. */
export const modelId = line(200).refine((id) => id !== "." && id !== "..", "Not . or ..");

const modelFigures = {
  name: name.optional(),
  family: optionalLine(100).nullable().optional(),
  aliases: z.array(modelId).max(50).optional(),
  inputModalities: modalityList.optional().openapi({
    description: "What the model takes. Default: what the catalogue says of it, else text alone.",
  }),
  outputModalities: modalityList.optional().openapi({
    description: "What the model makes. Default: what the catalogue says of it, else text alone.",
  }),
  contextTokens: count.nullable().optional(),
  outputTokens: count.nullable().optional(),
  tools: z.boolean().optional().openapi({
    description:
      "Whether the model uses tools. Default: what the catalogue says of it, else false.",
  }),
  temperature: z.boolean().optional(),
  prefill: z.boolean().optional().openapi({
    description:
      "Whether the model goes on with a last message of the assistant's. Default: what its provider documents.",
  }),
  reasoning: z.boolean().optional(),
  reasoningControl: reasoningControl.optional(),
  inputUsdPerMTok: price.optional(),
  outputUsdPerMTok: price.optional(),
  cachedInputUsdPerMTok: price.optional().openapi({
    description: "Where only the plain input price is given, cached input costs that.",
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
const like = line(300).openapi({
  description:
    "provider/model of the catalogue's model that this one is by another name, such as a deployment's. What is left out is as that model has it: prices, limits, the spelling of parameters.",
  example: "openai/gpt-5-mini",
});
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
      description:
        "Maker and model, the same wherever the model is served. Null: its names say no known model.",
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
      .openapi({ description: "Who spoke last of the model." }),
    sources: z.partialRecord(modelChange.keyof(), z.enum(figureSources)).openapi({
      description:
        "Where each figure came from that did not come from `source`; `catalogue` there means the seed. " +
        "`unverified`: the seed's too, but from memory or a third party. " +
        "`estimated`: from the price, since a sync added the model and its line is unclassified. " +
        "`provider`: nothing but the provider's list has the model.",
      example: { inputUsdPerMTok: "models.dev", speed: "override" },
    }),
    available: z.boolean().openapi({
      description: "Could be chosen now: a working credential, allowed, no open circuit.",
    }),
    measured: z
      .object({ p50Ms: z.int(), tokensPerSecond: z.number(), samples: z.int() })
      .nullable()
      .openapi({ description: "What the router saw of it lately. null: too little." }),
  })
  .openapi("Model");

export const provider = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,49}$/, "Lower-case letters, digits and hyphens.")
  .openapi({ example: "openai" });
const secret = z.string().max(4_096);
const address = optionalLine(500);
export const credentialInput = z
  .strictObject({
    provider,
    name,
    apiKey: secret,
    baseUrl: address.nullish(),
    models: z.array(declaredModel).max(500).nullish(),
  })
  .openapi("CredentialInput");
export const credentialPatch = z
  .strictObject({
    name: name.optional(),
    apiKey: secret.optional(),
    baseUrl: address.nullable().optional(),
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
    listing: z.object({ at: millis, models: z.int() }).nullable().openapi({
      description:
        "How many models the provider listed for the key, and when. Models that it doesn't list are not chosen. null: no list is known.",
    }),
    createdAt: millis,
    updatedAt: millis,
  })
  .openapi("Credential", { description: "The provider's key never comes back." });
export const credentialCheck = z
  .object({
    ok: z.boolean(),
    model: z.string().nullable(),
    fault: z
      .object({
        kind: z.string(),
        status: z.int().nullable(),
        code: z.enum(faultCodes).optional(),
        network: networkFault.optional(),
      })
      .nullable(),
    listed: z.array(z.string()).nullable().openapi({
      description:
        "The ids that the provider's /v1/models lists: send those you want as `models`. null: it gives no list.",
    }),
    proposed: z.array(declaredModel).openapi({
      description:
        "Models whose names say which model of the catalogue they are, with `like`: send them as `models`.",
    }),
  })
  .openapi("CredentialCheck");
