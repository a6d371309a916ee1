import { z } from "@hono/zod-openapi";
import type {
  GroupPolicy,
  Limits,
  Raise,
  RunPolicy,
  TagPolicy,
} from "../../domain/choice/policy.ts";
import { latestTime } from "../../domain/latest-time.ts";
import { namePattern } from "../../domain/sampling/call.ts";
import { count, line, millis, type ShapeOf } from "./schemas.ts";

/** Whole micro-USD, so that amounts are exact. */
export const usd = z
  .number()
  .min(0)
  .max(900_000_000)
  .refine(
    (value) => Math.abs(value * 1e6 - Math.round(value * 1e6)) < 1e-3,
    "At most six decimals.",
  )
  .openapi({ example: 25 });

const ofPeriods = "Days, weeks (from Monday) and months follow the policy's `timeZone`.";
const limitShapes = {
  requestsPerMinute: count,
  requestsPerDay: count,
  requestsPerWeek: count,
  requestsPerMonth: count,
  requestsTotal: count,
  tokensPerMinute: count,
  tokensPerDay: count,
  tokensPerWeek: count,
  tokensPerMonth: count,
  tokensTotal: count,
  concurrent: count,
  usdPerMinute: usd,
  usdPerDay: usd,
  usdPerWeek: usd,
  usdPerMonth: usd,
  usdTotal: usd,
} satisfies ShapeOf<Limits>;

export const limits = z
  .strictObject(limitShapes)
  .partial()
  .openapi("Limits", {
    description: `An absent limit is none. Those of a minute count any 60 seconds. ${ofPeriods}`,
  });

/** For merge patches. */
export const removableLimits = z.strictObject(
  Object.fromEntries(
    Object.entries(limitShapes).map(([name, shape]) => [name, shape.nullish()]),
  ) as { [Name in keyof typeof limitShapes]: z.ZodOptional<z.ZodNullable<z.ZodNumber>> },
);

const tagName = z.string().regex(namePattern, "No tag.");
export const tagPolicy = z
  .strictObject({
    required: z.boolean().optional(),
    allowed: z.array(tagName).max(200).optional().openapi({ description: "Default: all tags." }),
    each: limits
      .optional()
      .openapi({ description: "Limits of each tag that isn't listed in `limits`." }),
    limits: z
      .record(tagName, limits)
      .refine((named) => Object.keys(named).length <= 200, "At most 200.")
      .optional()
      .openapi({ description: "By tag." }),
  } satisfies ShapeOf<TagPolicy>)
  .openapi("TagPolicy", {
    description: 'Limits of calls with a tag, in `metadata["sampling-router/tag"]`.',
  });
export const runPolicy = z
  .strictObject({
    required: z.boolean().optional(),
    callsPerRun: count.optional(),
    usdPerRun: usd.optional(),
    newRunsPerDay: count.optional().openapi({
      description: "Runs that each key can start per day. Requires `callsPerRun`.",
    }),
  } satisfies ShapeOf<RunPolicy>)
  .refine(
    ({ newRunsPerDay, callsPerRun }) => newRunsPerDay === undefined || callsPerRun !== undefined,
    { path: ["callsPerRun"], message: "Required by newRunsPerDay." },
  )
  .openapi("RunPolicy", {
    description:
      'Limits of calls with a run, in `metadata["sampling-router/run"]`. A run ends a day after its last call.',
  });

export const groupPolicy = z
  .strictObject({
    each: limits
      .optional()
      .openapi({ description: "Limits of each group that isn't listed in `limits`." }),
    limits: z
      .record(line(200), limits)
      .refine((named) => Object.keys(named).length <= 200, "At most 200.")
      .optional()
      .openapi({ description: "By the group's name at the identity provider." }),
  } satisfies ShapeOf<GroupPolicy>)
  .openapi("GroupPolicy", {
    description: "Limits of the groups of the person on whose behalf a call is made.",
  });
export const raise = z
  .strictObject({
    subject: line(300).openapi({
      description:
        "The subject as in `GET …/limits`: the id of the tenant, a key or a server, or for example `user:…`.",
      example: "key_01kaphjqb5p8z9xmsc8c8nk0yz",
    }),
    limits: limits.openapi({ description: "Larger limits of the subject." }),
    until: millis.max(latestTime).openapi({ description: "Expiry in ms since the epoch." }),
    reason: z.string().min(1).max(500).openapi({ description: "The reason." }),
    by: z.string().max(300).optional().openapi({
      description: "Read-only: the name of the administrator.",
    }),
  } satisfies ShapeOf<Raise>)
  .refine((named) => Object.keys(named.limits).length > 0, "Specify at least one limit.")
  .openapi("Raise", { description: "Temporarily larger limits of one subject." });
