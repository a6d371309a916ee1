import { z } from "@hono/zod-openapi";
import { alertKinds } from "../../domain/alerts.ts";
import { adminApp, endpoint, pageOf, pageRequestOf, tenantParams } from "./endpoint.ts";
import { names } from "./record-schemas.ts";
import { millis, pageQuery } from "./schemas.ts";

const alert = z
  .object({
    id: z.string(),
    tenantId: z.string(),
    kind: z.enum(alertKinds),
    subject: z.string().openapi({
      description: "Id of whatever the alert is about; of a circuit its endpoint or model.",
    }),
    name: z.string().nullable().openapi({
      description: "Of a budget, as in `GET …/limits`; null: the alert is about no budget.",
      example: "tenant.usdPerDay",
    }),
    share: z.int().nullable().openapi({ description: "Per cent of the budget." }),
    limit: z.number().nullable().openapi({ description: "USD." }),
    used: z.number().nullable().openapi({
      description: "USD, when it was found. A budget is empty, too, once a call does not fit it.",
    }),
    periodFrom: millis,
    periodUntil: millis.nullable().openapi({
      description: "Until then nobody is told again; null: the period has no end.",
    }),
    at: millis,
  })
  .openapi("Alert");

export function alertRoutes() {
  const app = adminApp();
  endpoint(app, {
    method: "get",
    path: "/{tenant}/alerts",
    id: "listAlerts",
    tag: "Webhooks",
    summary: "List alerts, newest first",
    description:
      "Budgets beyond a share of theirs, and trouble that lasts; each once a period, found within a minute. Alerts are listed until 90 days after their period.",
    params: tenantParams,
    query: pageQuery,
    answer: pageOf(alert).extend({ names }),
    run: ({ admin, actor, params, query }) =>
      admin.alerts.list(actor, params.tenant, pageRequestOf(query)),
  });
  return app;
}
