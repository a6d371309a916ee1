import { z } from "@hono/zod-openapi";
import { alertFormats, alertKinds } from "../../domain/alerts.ts";
import { adminApp, endpointsOf, pageOf, pageRequestOf } from "./endpoint.ts";
import { names } from "./record-schemas.ts";
import { alertTemplate } from "./alert-schemas.ts";
import { millis, pageQuery } from "./schemas.ts";
import { headerName, headerValue, messageState } from "./webhooks.ts";

const delivery = z
  .object({
    id: z.string().openapi({ description: "Of the message in `GET …/webhooks`." }),
    origin: z.string().openapi({ example: "https://hooks.slack.com" }),
    ...messageState,
  })
  .openapi("AlertDelivery");

const alert = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    kind: z.enum(alertKinds),
    subject: z.string().openapi({
      description: "Id of the alert's subject; for a circuit, its endpoint or model.",
    }),
    name: z.string().nullable().openapi({
      description: "The budget, as in `GET …/limits`; null for other alerts.",
      example: "tenant.usdPerDay",
    }),
    threshold: z.int().nullable().openapi({ description: "Percentage of the budget." }),
    limit: z.number().nullable().openapi({ description: "USD." }),
    used: z.number().nullable().openapi({
      description: "USD at detection. A budget also counts as used up if a call doesn't fit.",
    }),
    periodFrom: millis,
    periodUntil: millis.nullable().openapi({
      description: "No further alert until then; null if the period has no end.",
    }),
    at: millis,
    severity: z.enum(["info", "warning", "critical"]),
    text: z.string().openapi({ description: "The alert as a sentence." }),
    deliveries: z.array(delivery).nullable().openapi({
      description: "Messages about it. Empty: only listed. null: no longer known, after 7 days.",
    }),
  })
  .openapi("Alert");

export function alertRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Webhooks");
  endpoint({
    route: "get /{tenant}/alerts",
    id: "listAlerts",
    summary: "List alerts, newest first",
    description:
      "Budgets above a threshold, and persistent problems, each once per period and detected within a minute. Alerts are listed until 90 days after their period.",
    query: pageQuery,
    answer: pageOf(alert).extend({ names }),
    run: ({ admin, actor, params, query }) =>
      admin.alerts.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint({
    route: "post /{tenant}/alerts/test",
    id: "testAlert",
    summary: "Send a test alert",
    description:
      "Sends a sample alert immediately, and returns the receiver's answer. Nothing is stored. Missing members default to those of the policy's receiver with this URL.",
    body: z.strictObject({
      webhookUrl: z.string().max(2_000),
      format: z.enum(alertFormats).optional(),
      body: alertTemplate.optional(),
      header: z
        .strictObject({ name: headerName, value: headerValue })
        .optional()
        .openapi({ description: "Default: the stored header." }),
    }),
    answer: z
      .object({
        status: z.int().nullable().openapi({ description: "HTTP status; null if none came." }),
        fault: z.string().nullable().openapi({ description: "Why it failed; null: accepted." }),
        answer: z.string().openapi({ description: "The receiver's answer, up to 2 kB." }),
        body: z.record(z.string(), z.unknown()).openapi({ description: "What was sent." }),
      })
      .openapi("AlertTest"),
    run: ({ admin, actor, params, body }) => admin.alerts.test(actor, params.tenant, body),
  });
  return app;
}
