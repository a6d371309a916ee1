import type { ShapingRule } from "../../domain/sampling/shaping.ts";
import type { Switches } from "../../domain/choice/switches.ts";
import type { AlertPolicy } from "../../domain/alerts.ts";
import { z } from "@hono/zod-openapi";
import { oauthClientPolicy } from "./oauth-client-schemas.ts";
import { longestDeadlineMs } from "../../domain/leases.ts";
import { formats, parsePredicate, verbosities } from "../../domain/sampling/negotiation.ts";
import { efforts } from "../../domain/requirements.ts";
import {
  approvalModes,
  approverKinds,
  type ApprovalPolicy,
  leastTimeoutSeconds,
  mostTimeoutSeconds,
} from "../../domain/sampling/approval.ts";
import { promptCachings } from "../../domain/sampling/prompt-caching.ts";
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
    description: "Applied when every predicate holds; of several, the last has the word.",
  });

const modelAlias = z
  .strictObject({
    hints: z
      .array(line(200))
      .max(32)
      .optional()
      .openapi({
        description: "Parts of models' names, tried in order.",
        example: ["claude-haiku", "gpt-5-mini"],
      }),
    priorities: z
      .strictObject({ cost: priority, speed: priority, intelligence: priority })
      .optional(),
  } satisfies ShapeOf<ModelAlias>)
  .openapi("ModelAlias", { description: "What a name asks for. Headers of a call win." });

const aliasName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/, "Letters, digits, and . _ : - in 100 characters.")
  .refine((name) => name !== autoModel, '"auto" leaves the choice to the router.');
const atMost = (most: number) =>
  [
    (named: Record<string, unknown>): boolean => Object.keys(named).length <= most,
    `At most ${most}.`,
  ] as const;

const why = z.string().min(1).max(500).openapi({ description: "Why, for people." });
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
    description: "Kill switches: each that is there is on, and its value says why.",
    example: { providers: { openai: "Bills twice. Ask Kim before lifting it." } },
  });

const names = z.array(line(200)).max(200).optional();
export const approvalRule = z
  .strictObject({
    mode: z.enum(approvalModes).openapi({
      description:
        "auto: nobody approves. request: a person approves that the call is made. result: that its result is given out; the call is paid by then, also if it is denied. both: one after the other.",
    }),
    when: z
      .strictObject({
        costUsdAbove: usd.optional().openapi({
          description: "Of the most that the call may cost. An unknown price is above any amount.",
        }),
        models: z.array(glob).max(200).optional(),
        servers: names.openapi({ description: "Slugs of registered servers that ask." }),
        tools: names.openapi({ description: "Names of the tools that are being called." }),
        modalities: z.array(z.enum(["text", "image", "audio"])).optional(),
      })
      .optional()
      .openapi({ description: "Calls of which any of these is true. Absent: every call." }),
    timeoutSeconds: z.int().min(leastTimeoutSeconds).max(mostTimeoutSeconds).optional().openapi({
      description: "s in which somebody has to decide. Default: 3600.",
    }),
    onTimeout: z.enum(["deny", "approve"]).optional().openapi({
      description: "What happens when nobody decides. Default: deny.",
    }),
    approvers: z.enum(approverKinds).optional().openapi({
      description:
        "others: approvers can't decide on their own calls. self: the person whose key asks may too, signed in to the console or by another key with the role approver; the key that asks never does. The record says so. Default: others.",
    }),
    webhookUrl: line(2_000).optional().openapi({
      description:
        "Where held calls, and their ends, are told of: messages as Standard Webhooks, without any content of the call. `POST …/webhooks/secret` makes the secret that signs them.",
      example: "https://hooks.example.com/approvals",
    }),
  } satisfies ShapeOf<ApprovalPolicy>)
  .openapi("ApprovalRule", { description: "Which calls wait for a person." });

const alertRule = z
  .strictObject({
    shares: z
      .array(z.int().min(1).max(100))
      .max(10)
      .refine((shares) => new Set(shares).size === shares.length, "Each share once.")
      .optional()
      .openapi({
        description: "Per cent of each budget at which people are told. Default: 50, 80, 100.",
      }),
    webhookUrl: line(2_000).optional().openapi({
      description:
        "Where alerts are sent: messages as Standard Webhooks. `POST …/webhooks/secret` makes the secret that signs them. Absent: alerts are listed, and sent nowhere.",
      example: "https://hooks.example.com/alerts",
    }),
  } satisfies ShapeOf<AlertPolicy>)
  .openapi("AlertRule", { description: "Who is told that a budget runs out, or of trouble." });

export const policy = z
  .strictObject({
    limits: limits.optional(),
    timeZone: z
      .string()
      .max(64)
      .refine(isTimeZone, "No time zone of the IANA database, such as Europe/Berlin.")
      .optional()
      .openapi({
        description: "Of the days, weeks and months of all limits. Default: UTC.",
        example: "Europe/Berlin",
      }),
    tags: tagPolicy.optional(),
    runs: runPolicy.optional(),
    perUser: limits.optional().openapi({
      description: "Of each person on whose behalf somebody calls.",
    }),
    oauthClients: oauthClientPolicy.optional(),
    groups: groupPolicy.optional(),
    raises: z.array(raise).max(100).optional().openapi({
      description: "Larger limits for a time. The node's own limits hold again from `until` on.",
    }),
    userNames: z.enum(["none", "keep"]).optional().openapi({
      description:
        "keep: the name that an identity provider says of a person is kept, until the person is forgotten. Default: none.",
    }),
    maxTokens: count.optional().openapi({ description: "A larger maxTokens is lowered to this." }),
    reasoning: z
      .union([z.enum(["least", "provider"]), z.strictObject({ effort: z.enum(efforts) })])
      .optional()
      .openapi({
        description:
          "How much models reason: the least that each can, whatever its provider does by itself, or " +
          "the nearest effort that it takes. A call's metadata for a provider wins. Default: least.",
      }),
    reasoningTokens: z.int().min(0).max(1_000_000).optional().openapi({
      description:
        "Tokens that reasoning may use beside the visible text, which maxTokens bounds. Default: 16384.",
    }),
    allowedModels: z.array(glob).max(200).optional().openapi({
      description: "Globs over provider/model. Absent: everything. Empty: nothing.",
    }),
    deniedModels: z.array(glob).max(200).optional(),
    capture: z.enum(["none", "full"]).optional().openapi({
      description: "Whether requests and results are kept, sealed. Default: none.",
    }),
    captureSecrets: z.enum(["mask", "keep"]).optional().openapi({
      description:
        "Whether keys, tokens and passwords found in captured text are masked. Default: mask.",
    }),
    providerMessages: z.boolean().optional().openapi({
      description:
        "Whether what a provider says of a failed call is kept, masked and sealed, for administrators. Default: true.",
    }),
    returnProviderMessages: z.boolean().optional().openapi({
      description:
        "Whether callers of the tenant's API keys read in `attempts[].message` what a provider said of their failed call, masked. Callers behind registered servers don't. Default: false.",
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
        "What becomes of a request whose last message is the assistant's, where no model goes on with such a message. refuse: no_eligible_model. as_text: a user message is added that asks to go on with it. Default: refuse.",
    }),
    afterContentFilter: z.enum(afterContentFilter).optional().openapi({
      description:
        "Whether other providers are asked once a provider's content filter has refused a call. Default: stop.",
    }),
    toolRounds: z.int().min(0).max(1_000).optional().openapi({
      description: "Tool-use turns that a request's own history may hold. Default: 25.",
    }),
    rules: z.array(shapingRule).max(50).optional(),
    retentionDays: z.int().min(1).max(3_650).optional().openapi({
      description: "Days until a finished, sealed audit record is deleted. Default: 90.",
    }),
    contentRetentionDays: z.int().min(1).max(3_650).optional().openapi({
      description: "Days until captured content is deleted. Default: with its record.",
    }),
    earlyDeletion: z
      .array(z.enum(expendable))
      .refine((kinds) => new Set(kinds).size === kinds.length, "Each once.")
      .optional()
      .openapi({
        description:
          "What is deleted before its time where the tenant's own database is 85 % full, in this order: captured contents, kept results of idempotency keys, sealed records. What is left out is not deleted early. Default: contents, results, records.",
        example: ["results", "contents", "records"],
      }),
    maxAttempts: z.int().min(1).max(4).optional().openapi({
      description:
        "Provider calls that one request may make, failover included. A reservation of money covers them all. Default: 4.",
    }),
    previews: z.enum(previewPolicies).optional().openapi({
      description:
        "When models that their provider calls preview, beta or experimental are chosen. hinted: if a hint names one, or no other model can serve. Default: hinted.",
    }),
    deadlineMs: z.int().min(1_000).max(longestDeadlineMs).optional().openapi({
      description: "ms for all attempts of one call together. Default: 45000.",
    }),
    promptCaching: z.enum(promptCachings).optional().openapi({
      description:
        "Whether a prompt that is likely to repeat is marked for its provider's cache. Default: auto.",
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
