import { z } from "@hono/zod-openapi";
import { templateIn } from "../../domain/alert-messages.ts";
import {
  alertFormats,
  alertKinds,
  alertPlaceholders,
  type AlertPolicy,
} from "../../domain/alerts.ts";
import { line, type ShapeOf } from "./schemas.ts";

export const alertTemplate = z
  .string()
  .max(4_000)
  .refine((text) => templateIn(text) !== null, "A JSON object, as text.")
  .openapi({
    description: `With \`custom\`: the message, a JSON object as text. ${alertPlaceholders
      .map((name) => `\`{${name}}\``)
      .join(", ")} in its strings are replaced.`,
    example: '{"from":"router@example.com","to":"ops@example.com","subject":"{title}"}',
  });

export const alertRule = z
  .strictObject({
    thresholds: z
      .array(z.int().min(1).max(100))
      .max(10)
      .refine((list) => new Set(list).size === list.length, "Each threshold once.")
      .optional()
      .openapi({
        description: "Alert thresholds in percent of each budget. Default: 50, 80, 100.",
      }),
    webhookUrl: line(2_000).optional().openapi({
      description:
        "URL for alerts. `POST …/webhooks/secret` creates the signing secret. Default: alerts are only listed.",
      example: "https://hooks.example.com/alerts",
    }),
    format: z.enum(alertFormats).optional().openapi({
      description:
        "What the receiver expects. `webhook` (default): Standard Webhooks. `teams`: a webhook of Teams' Workflows. `custom`: `body`, for example for an email API.",
    }),
    body: alertTemplate.optional(),
    kinds: z
      .array(z.enum(alertKinds))
      .max(alertKinds.length)
      .optional()
      .openapi({ description: "Kinds that are sent. Default: all. Others are only listed." }),
  } satisfies ShapeOf<AlertPolicy>)
  .refine(({ format, body }) => format !== "custom" || body !== undefined, {
    path: ["body"],
    error: "Required by the format `custom`.",
  })
  .openapi("AlertRule", { description: "Alerts about budgets and problems." });
