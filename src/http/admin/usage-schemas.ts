import { usageGroupings } from "../../domain/ports/top-usage.ts";
import { z } from "@hono/zod-openapi";
import { names } from "./record-schemas.ts";
import { millis, time } from "./schemas.ts";

const usageQuery = z.object({
  from: time.optional().openapi({ param: { description: "in the first hour" } }),
  to: time.optional().openapi({ param: { description: "after the last hour" } }),
  bucket: z
    .enum(["hour", "day", "month"])
    .optional()
    .openapi({ description: "in UTC; default: hour" }),
  by: z
    .enum(["model", "key", "user", "server", "endpoint", "all"])
    .optional()
    .openapi({ description: "default: model; all: one row per bucket" }),
});
export const usageOfTenantQuery = usageQuery.extend({
  bucket: z
    .enum(["hour", "day", "month", "all"])
    .optional()
    .openapi({ description: "in UTC; default: hour; all: the whole range" }),
  cursor: z
    .string()
    .max(300)
    .optional()
    .openapi({ param: { description: "`nextCursor` of the previous page" } }),
  limit: z.coerce.number().int().min(1).max(2_000).optional(),
});
export const usageOfAllQuery = usageQuery.extend({
  by: z.enum(["tenant", "model"]).optional().openapi({ description: "default: tenant" }),
});
const figure = z.int().min(0);
const percentiles = z
  .object({ p50: figure, p90: figure, p99: figure })
  .openapi("Percentiles", { description: "In ms, within 2.5 %." });
const latency = z
  .object({
    calls: figure.openapi({ description: "Number of counted calls." }),
    total: percentiles.openapi({ description: "From arrival to settlement." }),
    provider: percentiles,
    overhead: percentiles.openapi({ description: "The total without the provider's time." }),
  })
  .openapi("Latency", {
    description:
      "Latency of successful and failed calls, without approval time. A call is counted about a minute after its end.",
  });
const counts = {
  requests: figure.openapi({ description: "Completed requests, including refused ones." }),
  succeeded: figure,
  failed: figure,
  refused: figure,
  cancelled: figure,
  unknown: figure,
  inputTokens: figure,
  outputTokens: figure,
  costUsd: z.number().min(0),
};
export const usage = z.object({
  names: names.optional(),
  data: z.array(
    z
      .object({
        at: millis.openapi({ description: "Start of the bucket in UTC." }),
        group: z.string().openapi({
          description: "Model, or the id of a key, person, server or tenant; empty if none.",
          example: "openai/gpt-5",
        }),
        ...counts,
        latency: latency.nullable().optional().openapi({
          description:
            "null if no call is counted. Missing with `bucket=month` and `bucket=all`, and if too many tenants would have to be merged.",
        }),
      })
      .openapi("Usage"),
  ),
});
export const usageOfTenant = usage.extend({
  nextCursor: z.string().nullable().openapi({ description: "null on the last page." }),
});

export const limitState = z
  .object({
    name: z.string().openapi({
      description:
        "The limit with its scope. `ceiling`: the operator's. `tenant.storageBytes`: the size limit of the tenant's database.",
      example: "tenant.usdPerDay",
    }),
    subject: z.string().openapi({
      description:
        "The id of the tenant, key or server, or for example `user:…`, `group:eng`, `tag:nightly`, `run:key_…:one`.",
    }),
    unit: z.enum(["requests", "tokens", "calls", "usd", "runs", "bytes"]),
    limit: z.number(),
    used: z.number().openapi({
      description: "Used by completed calls; for requests and concurrency, by all calls.",
    }),
    reserved: z
      .number()
      .openapi({ description: "Reserved by running calls and pending approvals." }),
    left: z.number(),
    resetsAt: millis.nullable().openapi({
      description:
        "When the day, week or month ends, or the oldest use in a minute expires. null if nothing is used, for concurrency, and for totals.",
    }),
    raisedUntil: millis.optional().openapi({
      description: "Expiry of the current raise, if any.",
    }),
  })
  .openapi("LimitState");

const topUsageRow = z
  .object({
    by: z.enum(usageGroupings),
    group: z.string().openapi({
      description: "Id of a key, person or server, or the name; empty if none.",
    }),
    ...counts,
    share: z.number().openapi({ description: "Of the cost of all calls, from 0 to 1." }),
    lastUsedAt: millis.openapi({ description: "Start of the last hour with usage in the range." }),
    before: z
      .object({ requests: figure, costUsd: z.number() })
      .openapi({ description: "In the period of the same length before." }),
    budget: limitState.optional(),
  })
  .openapi("TopUsage", {
    description: "`budget`: the fullest budget, of a key also its person's.",
  });
export const topUsageQuery = z.object({
  by: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(usageGroupings)))
    .optional()
    .openapi({
      type: "string",
      description: `comma-separated, of ${usageGroupings.join(", ")}; default: key`,
      example: "key,model",
    }),
  from: time.optional().openapi({ param: { description: "in the first hour" } }),
  to: time.optional().openapi({ param: { description: "after the last hour" } }),
  limit: z.coerce.number().int().min(1).max(1_000).optional().openapi({
    description: "of each list; default: 10",
  }),
});
export const topUsage = z.object({
  from: millis,
  to: millis,
  completeUntil: millis.openapi({
    description:
      "All calls that arrived before this time and have ended are counted. Groups, tags and endpoints are counted about a minute later.",
  }),
  groups: z
    .record(z.string(), figure)
    .openapi({ description: "Number of keys, people, … with usage." }),
  budgets: z.array(limitState).openapi({
    description: "The tenant's own, and used-up ones of others that aren't in `data`.",
  }),
  total: z.object({
    requests: figure,
    costUsd: z.number(),
    before: z.object({ requests: figure, costUsd: z.number() }),
  }),
  month: z.object({ from: millis, until: millis, costUsd: z.number() }).openapi({
    description: "The current month in the tenant's time zone, with its cost so far.",
  }),
  names,
  data: z.array(topUsageRow),
});
