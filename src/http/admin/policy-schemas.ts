import type { ShapingRule } from "../../domain/sampling/shaping.ts";
import type { Switches } from "../../domain/choice/switches.ts";
import { z } from "@hono/zod-openapi";
import { alertRule } from "./alert-schemas.ts";
import { oauthClientPolicy } from "./oauth-client-schemas.ts";
import { longestDeadlineMs } from "../../domain/leases.ts";
import { formats, parsePredicate, verbosities } from "../../domain/sampling/negotiation.ts";
import { efforts } from "../../domain/requirements.ts";
import {
  approvalModes,
  approverKinds,
  type ApprovalPolicy,
  minTimeoutSeconds,
  maxTimeoutSeconds,
} from "../../domain/sampling/approval.ts";
import { promptCachingModes } from "../../domain/sampling/prompt-caching.ts";
import {
  afterContentFilter,
  expendable,
  prefillPolicies,
  previewPolicies,
  type ModelAlias,
  type Policy,
} from "../../domain/choice/policy.ts";
import { autoModel } from "../../domain/choice/named-models.ts";
import { isTimeZone } from "../../pipeline/callers/time-zones.ts";
import { endpointPolicy } from "./endpoint-policy-schemas.ts";
import { groupPolicy, limits, raise, runPolicy, tagPolicy, usd } from "./limit-schemas.ts";
import { count, line, type ShapeOf } from "./schemas.ts";

const glob = line(200).openapi({ example: "openai/*" });

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
  } satisfies ShapeOf<ShapingRule>)
  .openapi("ShapingRule", {
    description: "Applied if all predicates are true. The last matching rule wins.",
  });

const modelAlias = z
  .strictObject({
    hints: z
      .array(line(200))
      .max(32)
      .optional()
      .openapi({
        description: "Partial model names, in order.",
        example: ["claude-haiku", "gpt-5-mini"],
      }),
    priorities: z
      .strictObject({ cost: priority, speed: priority, intelligence: priority })
      .optional(),
  } satisfies ShapeOf<ModelAlias>)
  .openapi("ModelAlias", {
    description: "Settings of an alias. Headers of a call take precedence.",
  });

const aliasName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/, "Letters, digits, and . _ : - in 100 characters.")
  .refine((name) => name !== autoModel, '"auto" leaves the choice to the router.');
const atMost = (max: number) =>
  [
    (named: Record<string, unknown>): boolean => Object.keys(named).length <= max,
    `At most ${max}.`,
  ] as const;

const why = z.string().min(1).max(500).openapi({ description: "The reason." });
const switchesOf = (named: string) =>
  z
    .record(line(200), why)
    .refine((switches) => Object.keys(switches).length <= 500, "At most 500.")
    .optional()
    .openapi({ description: `By ${named}.` });
export const switches = z
  .strictObject({
    tenant: why.optional().openapi({ description: "Stops the whole tenant." }),
    servers: switchesOf("the slug of a registered server"),
    keys: switchesOf("the id of an API key"),
    models: switchesOf("a glob over provider/model"),
    providers: switchesOf("a provider's name"),
  } satisfies ShapeOf<Switches>)
  .openapi("Switches", {
    description: "Kill switches: each entry is on, and its value is the reason.",
    example: { providers: { openai: "Bills twice. Ask Kim before lifting it." } },
  });

const names = z.array(line(200)).max(200).optional();
export const approvalRule = z
  .strictObject({
    mode: z.enum(approvalModes).openapi({
      description:
        "auto: no approval. request: approval before the call. result: approval of its result; the call is charged even if it is denied. both: request and result.",
    }),
    when: z
      .strictObject({
        costUsdAbove: usd.optional().openapi({
          description: "Threshold for the maximum cost. An unknown price exceeds any amount.",
        }),
        models: z.array(glob).max(200).optional(),
        servers: names.openapi({ description: "Slugs of the requesting servers." }),
        tools: names.openapi({ description: "Names of the tools being called." }),
        modalities: z.array(z.enum(["text", "image", "audio"])).optional(),
      })
      .optional()
      .openapi({ description: "Calls that match any condition. Default: every call." }),
    timeoutSeconds: z.int().min(minTimeoutSeconds).max(maxTimeoutSeconds).optional().openapi({
      description: "Seconds for a decision. Default: 3600.",
    }),
    onTimeout: z.enum(["deny", "approve"]).optional().openapi({
      description: "The decision after the time-out. Default: deny.",
    }),
    approvers: z.enum(approverKinds).optional().openapi({
      description:
        "others: approvers can't decide their own calls. self: the caller can too, in the console or with another key with the role approver, and the record says so. The requesting key itself never can. Default: others.",
    }),
    webhookUrl: line(2_000).optional().openapi({
      description:
        "URL for notifications about pending calls and their outcome, as Standard Webhooks without content. `POST …/webhooks/secret` creates the signing secret.",
      example: "https://hooks.example.com/approvals",
    }),
  } satisfies ShapeOf<ApprovalPolicy>)
  .openapi("ApprovalRule", { description: "Which calls need approval." });

export const policy = z
  .strictObject({
    limits: limits.optional(),
    timeZone: z
      .string()
      .max(64)
      .refine(isTimeZone, "No time zone of the IANA database, such as Europe/Berlin.")
      .optional()
      .openapi({
        description: "Time zone for days, weeks and months of all limits. Default: UTC.",
        example: "Europe/Berlin",
      }),
    tags: tagPolicy.optional(),
    runs: runPolicy.optional(),
    perUser: limits.optional().openapi({
      description: "Limits of each person on whose behalf calls are made.",
    }),
    oauthClients: oauthClientPolicy.optional(),
    groups: groupPolicy.optional(),
    raises: z.array(raise).max(100).optional().openapi({
      description: "Temporarily larger limits, until `until`.",
    }),
    userNames: z.enum(["none", "keep"]).optional().openapi({
      description:
        "keep: a person's name from the identity provider is stored until the person is deleted. Default: none.",
    }),
    maxTokens: count.optional().openapi({ description: "Larger maxTokens are lowered to this." }),
    reasoning: z
      .union([z.enum(["least", "provider"]), z.strictObject({ effort: z.enum(efforts) })])
      .optional()
      .openapi({
        description:
          "Reasoning effort: the least that each model supports, the provider's default, or " +
          "the nearest supported effort. A call's provider metadata takes precedence. Default: least.",
      }),
    reasoningTokens: z.int().min(0).max(1_000_000).optional().openapi({
      description:
        "Tokens for reasoning in addition to the visible text, which maxTokens limits. Default: 16384.",
    }),
    allowedModels: z.array(glob).max(200).optional().openapi({
      description: "Globs over provider/model. Default: all models. Empty: none.",
    }),
    deniedModels: z.array(glob).max(200).optional(),
    capture: z.enum(["none", "full"]).optional().openapi({
      description: "Whether requests and results are stored encrypted. Default: none.",
    }),
    captureSecrets: z.enum(["mask", "keep"]).optional().openapi({
      description:
        "Whether keys, tokens and passwords found in captured text are masked. Default: mask.",
    }),
    providerMessages: z.boolean().optional().openapi({
      description:
        "Whether provider error messages are stored, masked and encrypted, for administrators. Default: true.",
    }),
    returnProviderMessages: z.boolean().optional().openapi({
      description:
        "Whether callers get masked provider error messages in `attempts[].message`. Registered servers don't. Default: false.",
    }),
    aliases: z
      .record(aliasName, modelAlias)
      .refine(...atMost(100))
      .optional()
      .openapi({
        description:
          "Names that callers of the model endpoints may use as a model's name. An alias takes precedence over a model of its name.",
        example: { fast: { hints: ["claude-haiku", "gpt-5-mini"], priorities: { speed: 1 } } },
      }),
    fallbacks: z
      .record(line(200), z.array(line(200)).min(1).max(10))
      .refine(...atMost(100))
      .optional()
      .openapi({
        description:
          "By a model's name as callers of the model endpoints use it, or `*`: the models that may answer in its place, in order. Default: no other model.",
        example: { "claude-sonnet-5": ["gpt-5.4"] },
      }),
    modelEndpoints: endpointPolicy.optional(),
    prefill: z.enum(prefillPolicies).optional().openapi({
      description:
        "If no model continues a last assistant message. refuse: no_eligible_model. as_text: a user message that asks for the continuation is added. Default: refuse.",
    }),
    afterContentFilter: z.enum(afterContentFilter).optional().openapi({
      description:
        "Whether other providers are tried after a content-filter refusal. Default: stop.",
    }),
    toolRounds: z.int().min(0).max(1_000).optional().openapi({
      description: "Maximum tool-use turns in a request's history. Default: 25.",
    }),
    rules: z.array(shapingRule).max(50).optional(),
    retentionDays: z.int().min(1).max(3_650).optional().openapi({
      description: "Days until a finished, sealed audit record is deleted. Default: 90.",
    }),
    contentRetentionDays: z.int().min(1).max(3_650).optional().openapi({
      description: "Days until stored content is deleted. Default: with its record.",
    }),
    earlyDeletion: z
      .array(z.enum(expendable))
      .refine((kinds) => new Set(kinds).size === kinds.length, "Each once.")
      .optional()
      .openapi({
        description:
          "Data that is deleted early if the tenant's database is 85 % full, in this order: content, idempotent results, sealed records. Kinds that aren't listed are kept. Default: contents, results, records.",
        example: ["results", "contents", "records"],
      }),
    maxAttempts: z.int().min(1).max(4).optional().openapi({
      description:
        "Maximum provider calls per request, including failover. Reservations cover them all. Default: 4.",
    }),
    previews: z.enum(previewPolicies).optional().openapi({
      description:
        "Whether preview, beta and experimental models are selected. hinted: if a hint names one, or no other model can serve the request. Default: hinted.",
    }),
    deadlineMs: z.int().min(1_000).max(longestDeadlineMs).optional().openapi({
      description: "Time limit in ms for all attempts of a call. Default: 45000.",
    }),
    promptCaching: z.enum(promptCachingModes).optional().openapi({
      description:
        "Whether likely repeated prompts are marked for the provider's cache. Default: auto.",
    }),
    stopped: switches.optional(),
    approval: approvalRule.optional(),
    alerts: alertRule.optional(),
  } satisfies ShapeOf<Policy>)
  .openapi("Policy");

/** Members may be `null`; the result must be a policy. */
export const policyPatch = z.record(z.string(), z.unknown()).openapi("PolicyPatch", {
  description: "A JSON merge patch of a Policy.",
  example: { limits: { usdPerDay: 50, requestsPerMinute: null } },
});
