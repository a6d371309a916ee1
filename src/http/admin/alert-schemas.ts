import { z } from "@hono/zod-openapi";
import { templateIn } from "../../domain/alert-messages.ts";
import {
  alertFormats,
  alertKinds,
  alertPlaceholders,
  defaultThresholds,
  maxReceivers,
  type AlertPolicy,
  type AlertReceiver,
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

const thresholds = z
  .array(z.int().min(1).max(100))
  .max(10)
  .refine((list) => new Set(list).size === list.length, "Each threshold once.")
  .optional();

const receiver = z
  .strictObject({
    webhookUrl: line(2_000).openapi({
      description: "`POST …/webhooks/secret` creates the signing secret.",
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
      .openapi({ description: "Kinds that are sent. Default: all." }),
    thresholds: thresholds.openapi({
      description: "Thresholds of budgets that are sent, among the policy's. Default: all.",
    }),
  } satisfies ShapeOf<AlertReceiver>)
  .refine(({ format, body }) => format !== "custom" || body !== undefined, {
    path: ["body"],
    error: "Required by the format `custom`.",
  })
  .openapi("AlertReceiver");

export const alertRule = z
  .strictObject({
    thresholds: thresholds.openapi({
      description: "Alert thresholds in percent of each budget. Default: 50, 80, 100.",
    }),
    receivers: z.array(receiver).max(maxReceivers).optional().openapi({
      description: "Who gets alerts, each URL once. Default: alerts are only listed.",
    }),
  } satisfies ShapeOf<AlertPolicy>)
  .superRefine(({ thresholds: raised = defaultThresholds, receivers = [] }, { addIssue }) => {
    for (const [at, { webhookUrl, thresholds: sent = [] }] of receivers.entries()) {
      const wrong = (member: string, message: string): void =>
        addIssue({ code: "custom", path: ["receivers", at, member], message });
      if (receivers.findIndex((each) => each.webhookUrl === webhookUrl) < at)
        wrong("webhookUrl", "Another receiver has this URL.");
      if (sent.some((each) => !raised.includes(each)))
        wrong("thresholds", `Use thresholds of the policy's alerts: ${raised.join(", ")}.`);
    }
  })
  .openapi("AlertRule", { description: "Alerts about budgets and problems." });
