import { z } from "@hono/zod-openapi";
import { webhookStates } from "../../domain/ports/webhooks.ts";
import { adminApp, endpointsOf, pageOf, pageRequestOf } from "./endpoint.ts";
import { line, millis, pageQuery } from "./schemas.ts";

/** A message's id names call, stage, and state, or an alert, its kind, and the receiver's number. */
const webhookPage = pageQuery.extend({
  cursor: z
    .string()
    .regex(/^msg_[a-z]+_[0-9a-z]{26,38}(_[a-z]+){2,4}(_[0-9])?$/, "Unknown cursor.")
    .optional(),
});

export const messageState = {
  state: z.enum(webhookStates).openapi({
    description: "pending: waits for delivery or a retry. failed: dropped.",
  }),
  endedAt: millis.nullable(),
  status: z.int().nullable().openapi({ description: "HTTP status of the last response." }),
  fault: z.string().nullable().openapi({ description: "The last error." }),
};

const message = z
  .object({
    id: z.string().openapi({ description: "`webhook-id`: the same for every attempt." }),
    url: z.string(),
    body: z.record(z.string(), z.unknown()).openapi({ description: "The message, as JSON." }),
    attempts: z.int(),
    createdAt: millis,
    nextAt: millis
      .nullable()
      .openapi({ description: "Time of the next attempt; null after the last one." }),
    ...messageState,
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

const header = z
  .object({
    origin: z.string().openapi({ description: "Whose messages get the header." }),
    name: z.string().nullable().openapi({ description: "null: removed, or unreadable." }),
  })
  .openapi("WebhookHeader");

export const headerName = line(100)
  .regex(/^[A-Za-z][A-Za-z0-9-]*$/, "Use letters, digits and hyphens.")
  .refine(
    (name) => !/^(content-.*|host|connection|webhook-.*)$/i.test(name),
    "The router sets this header.",
  )
  .openapi({ example: "Authorization" });
export const headerValue = z
  .string()
  .regex(/^[!-~][ -~]{0,4000}$/, "Use printable ASCII characters.")
  .openapi({ example: "Bearer …" });

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
  endpoint({
    route: "get /{tenant}/webhooks/headers",
    id: "listWebhookHeaders",
    summary: "List the headers of webhook messages",
    description: "Their values are never returned.",
    answer: z.object({ data: z.array(header) }),
    run: ({ admin, actor, params }) => admin.webhooks.headers(actor, params.tenant),
  });
  endpoint({
    route: "put /{tenant}/webhooks/headers",
    id: "replaceWebhookHeader",
    summary: "Set a header of webhook messages",
    description:
      "For receivers that authenticate requests, for example email APIs. The value is stored encrypted, and sent only to the URL's origin, which has one header. At most 10 origins have one.",
    body: z
      .strictObject({
        url: line(2_000).openapi({ example: "https://api.resend.com/emails" }),
        name: headerName,
        value: headerValue.nullable().openapi({ description: "null removes the header." }),
      })
      .openapi("WebhookHeaderInput"),
    answer: header,
    run: ({ admin, actor, params, body }) =>
      admin.webhooks.replaceHeader(actor, params.tenant, body),
  });
  return app;
}
