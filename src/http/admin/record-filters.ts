/** Filters of lists of records and events. */
import { z } from "@hono/zod-openapi";
import { areOutcomes, outcomes } from "../../domain/audit/record.ts";
import { idPrefixes } from "../../domain/tenancy/ids.ts";
import { userPrefix } from "../../domain/tenancy/user.ts";
import { time } from "./schemas.ts";

/** Rejects names used as ids, which would match nothing. */
const idWith = (prefix: string) =>
  z.string().max(200).startsWith(`${prefix}_`, `must be an id: it begins with ${prefix}_`);

export const recordFilter = z.object({
  from: time.optional().openapi({ param: { description: "inclusive" } }),
  to: time.optional().openapi({ param: { description: "exclusive" } }),
  outcome: z
    .string()
    .refine(areOutcomes, `Comma-separated, of ${outcomes.join(", ")}.`)
    .optional()
    .openapi({
      description: `comma-separated, of ${outcomes.join(", ")}`,
      example: "failed,refused",
    }),
  model: z.string().optional().openapi({ example: "openai/gpt-5.4-mini" }),
  key: idWith(idPrefixes.key).optional().openapi({ description: "an API key's id" }),
  user: idWith(userPrefix).optional().openapi({ description: "a person's id" }),
  server: idWith(idPrefixes.server).optional().openapi({ description: "a server's id" }),
  session: z.string().optional(),
});
export const listFilter = recordFilter.extend({
  id: z
    .string()
    .regex(/^\w{1,40}$/, "An id, or its end.")
    .optional()
    .openapi({ description: "a request's id, or its last characters" }),
  held: z
    .enum(["true", "false"])
    .transform((held) => held === "true")
    .optional()
    .openapi({ description: "true: waits for approval or its caller; false: running" }),
});

export const eventFilter = z.object({
  from: time.optional().openapi({ param: { description: "inclusive" } }),
  to: time.optional().openapi({ param: { description: "exclusive" } }),
  actor: z.string().max(200).optional().openapi({
    description: "`operator`, `router`, `unknown`, or the id of a key or a person",
  }),
  action: z
    .string()
    .regex(/^!?[a-z_.]{1,60}$/, "An action, or its beginning.")
    .optional()
    .openapi({
      description: "an action, or its beginning; after `!`: all others",
      example: "key.",
    }),
  target: z.string().max(300).optional().openapi({ description: "what was changed, exactly" }),
  text: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .openapi({ description: "text in the actor, action, target or detail" }),
});
export const allEventsFilter = eventFilter.extend({
  tenant: idWith(idPrefixes.tenant).optional().openapi({ description: "a tenant's id" }),
});
