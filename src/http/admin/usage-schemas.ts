import { z } from "@hono/zod-openapi";
import { names } from "./record-schemas.ts";
import { millis, time } from "./schemas.ts";

const usageQuery = z.object({
  from: time.optional().openapi({ param: { description: "in the first hour" } }),
  to: time.optional().openapi({ param: { description: "after the last hour" } }),
  bucket: z.enum(["hour", "day"]).optional().openapi({ description: "in UTC; hour unless told" }),
  by: z
    .enum(["model", "key", "user", "server", "all"])
    .optional()
    .openapi({ description: "model unless told; all: one row a bucket" }),
});
export const usageOfTenantQuery = usageQuery.extend({
  bucket: z
    .enum(["hour", "day", "all"])
    .optional()
    .openapi({ description: "in UTC; hour unless told; all: the whole range is one" }),
  cursor: z
    .string()
    .max(300)
    .optional()
    .openapi({ param: { description: "`nextCursor` of the page before" } }),
  limit: z.coerce.number().int().min(1).max(2_000).optional(),
});
export const usageOfAllQuery = usageQuery.extend({
  by: z.enum(["tenant", "model"]).optional().openapi({ description: "tenant unless told" }),
});
const figure = z.int().min(0);
const percentiles = z
  .object({ p50: figure, p90: figure, p99: figure })
  .openapi("Percentiles", { description: "ms, each within 2.5 % of a call's." });
const latency = z
  .object({
    calls: figure.openapi({ description: "Calls that are counted here." }),
    total: percentiles.openapi({ description: "From arrival to settlement." }),
    provider: percentiles,
    overhead: percentiles.openapi({ description: "What of the total was not the provider's." }),
  })
  .openapi("Latency", {
    description:
      "How long calls took that succeeded or failed, without the time in which people decided. A call is counted about a minute after its end.",
  });
export const usage = z.object({
  names: names.optional(),
  data: z.array(
    z
      .object({
        at: millis.openapi({ description: "The bucket's beginning in UTC." }),
        group: z.string().openapi({
          description: "Model, or the id of a key, person, server or tenant; empty: none.",
          example: "openai/gpt-5",
        }),
        requests: figure.openapi({ description: "Ended ones, refused ones included." }),
        succeeded: figure,
        failed: figure,
        refused: figure,
        cancelled: figure,
        unknown: figure,
        inputTokens: figure,
        outputTokens: figure,
        costUsd: z.number().min(0),
        latency: latency.nullable().optional().openapi({
          description:
            "null: no call is counted. Absent: with `bucket=all`, and of more tenants than one answer adds up.",
        }),
      })
      .openapi("Usage"),
  ),
});
export const usageOfTenant = usage.extend({
  nextCursor: z.string().nullable().openapi({ description: "null: that was the last page." }),
});

export const limitState = z
  .object({
    name: z.string().openapi({
      description:
        "Whose limit, and which. `ceiling`: the operator's for the tenant. `tenant.storageBytes`: the room of the tenant's own database.",
      example: "tenant.usdPerDay",
    }),
    subject: z.string().openapi({
      description:
        "The id of the tenant, the key or the server; of others such as `user:…`, `group:eng`, `tag:nightly`, `run:key_…:one`.",
    }),
    unit: z.enum(["requests", "tokens", "calls", "usd", "runs", "bytes"]),
    limit: z.number(),
    used: z.number().openapi({ description: "By calls that ended; of requests and calls, all." }),
    reserved: z.number().openapi({ description: "By calls that run, or wait for a person." }),
    left: z.number(),
    freesAt: millis.nullable().openapi({
      description:
        "When the day, week or month ends, or the oldest use of a minute is free again. null: nothing is used, a call's end frees it, or the limit is a total.",
    }),
    raisedUntil: millis.optional().openapi({
      description: "When the raise in force ends. Absent: the limit stands as it is set.",
    }),
  })
  .openapi("LimitState");
