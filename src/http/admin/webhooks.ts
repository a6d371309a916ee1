import { z } from "@hono/zod-openapi";
import { webhookStates } from "../../domain/ports/webhooks.ts";
import { adminApp, endpointsOf, pageOf, pageRequestOf } from "./endpoint.ts";
import { millis, pageQuery } from "./schemas.ts";

/** A message's id names call, stage, and state. */
const webhookPage = pageQuery.extend({
  cursor: z
    .string()
    .regex(/^msg_[a-z]+_[0-9a-z]{26,38}(_[a-z]+){2,4}$/, "Unknown cursor.")
    .optional(),
});

const message = z
  .object({
    id: z.string().openapi({ description: "`webhook-id`: the same for every attempt." }),
    url: z.string(),
    body: z.record(z.string(), z.unknown()).openapi({ description: "The message, as JSON." }),
    state: z.enum(webhookStates).openapi({
      description: "pending: waits for delivery or a retry. failed: dropped.",
    }),
    attempts: z.int(),
    createdAt: millis,
    nextAt: millis
      .nullable()
      .openapi({ description: "Time of the next attempt; null after the last one." }),
    endedAt: millis.nullable(),
    status: z.int().nullable().openapi({ description: "HTTP status of the last response." }),
    fault: z.string().nullable().openapi({ description: "The last error." }),
  })
  .openapi("WebhookMessage");

const newSecret = z
  .object({
    secret: z.string().openapi({ description: "Shown only once." }),
    previousUntil: millis.nullable().openapi({
      description:
        "Until when messages are also signed with the previous secret; null for the first secret.",
    }),
  })
  .openapi("NewWebhookSecret");

export function webhookRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Webhooks");
  endpoint({
    route: "get /{tenant}/webhooks",
    id: "listWebhooks",
    summary: "List webhook messages, newest calls first",
    description:
      "Messages about approvals and alerts, with their state. Delivered and dropped messages are listed for 7 days.",
    query: webhookPage,
    answer: pageOf(message),
    run: ({ admin, actor, params, query }) =>
      admin.webhooks.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint({
    route: "post /{tenant}/webhooks/secret",
    id: "rotateWebhookSecret",
    summary: "Create a webhook signing secret",
    description:
      "The secret is shown only once. For 24 hours, messages are also signed with the previous secret.",
    answer: newSecret,
    status: 201,
    run: ({ admin, actor, params }) => admin.webhooks.rotateSecret(actor, params.tenant),
  });
  return app;
}
