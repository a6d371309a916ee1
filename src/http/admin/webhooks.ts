import { z } from "@hono/zod-openapi";
import { webhookStates } from "../../domain/ports/webhooks.ts";
import { adminApp, endpoint, pageOf, pageRequestOf, tenantParams } from "./endpoint.ts";
import { millis, pageQuery } from "./schemas.ts";

/** A message's id names call, stage, and state. */
const webhookPage = pageQuery.extend({
  cursor: z
    .string()
    .regex(/^msg_[a-z]+_[0-9a-z]{26,38}(_[a-z]+){2,4}$/, "Not a cursor that was given out.")
    .optional(),
});

const message = z
  .object({
    id: z.string().openapi({ description: "`webhook-id`: the same for every attempt." }),
    url: z.string(),
    body: z.record(z.string(), z.unknown()).openapi({ description: "What is sent, as JSON." }),
    state: z.enum(webhookStates).openapi({
      description: "pending: it is sent, or sent again. failed: it is given up.",
    }),
    attempts: z.int(),
    createdAt: millis,
    nextAt: millis.nullable().openapi({ description: "When it is sent next; null: never again." }),
    endedAt: millis.nullable(),
    status: z.int().nullable().openapi({ description: "HTTP status of the last answer." }),
    fault: z.string().nullable().openapi({ description: "What went wrong at the last attempt." }),
  })
  .openapi("WebhookMessage");

const newSecret = z
  .object({
    secret: z.string().openapi({ description: "Shown this once." }),
    previousUntil: millis.nullable().openapi({
      description:
        "Until when messages have a signature by the secret before it, too; null: it is the first.",
    }),
  })
  .openapi("NewWebhookSecret");

export function webhookRoutes() {
  const app = adminApp();
  const tag = "Webhooks";
  endpoint(app, {
    method: "get",
    path: "/{tenant}/webhooks",
    id: "listWebhooks",
    tag,
    summary: "List messages to webhooks, those of the newest calls first",
    description:
      "What was sent of held calls and alerts, and what became of each message. A message that was delivered, or given up, is listed for 7 days.",
    params: tenantParams,
    query: webhookPage,
    answer: pageOf(message),
    run: ({ admin, actor, params, query }) =>
      admin.webhooks.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint(app, {
    method: "post",
    path: "/{tenant}/webhooks/secret",
    id: "rotateWebhookSecret",
    tag,
    summary: "Make a new secret that signs messages; it is shown this once",
    description:
      "For 24 hours messages have two signatures: by the new secret, and by the one before it.",
    params: tenantParams,
    answer: newSecret,
    status: 201,
    run: ({ admin, actor, params }) => admin.webhooks.rotateSecret(actor, params.tenant),
  });
  return app;
}
