/** Shapes that every admin resource shares. The others are beside: tenants, models, policy, records. */
import { z } from "@hono/zod-openapi";
import { reasons } from "../../domain/refusals.ts";

export const millis = z
  .int()
  .openapi({ description: "ms since the epoch", example: 1_795_132_800_000 });
export const count = z.int().min(1).max(1_000_000_000);

export const slug = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, "Lower-case letters, digits and hyphens.")
  .openapi({ example: "acme" });
export const name = z.string().min(1).max(200);

export const pageQuery = z.object({
  // An id, or a model's name.
  cursor: z
    .string()
    .regex(/^([a-z]+_[0-9a-z]{26,38}|[a-z0-9-]+\/.{1,200})$/, "Not a cursor that was given out.")
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});
export const problemBody = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    reason: z.enum(reasons),
    requestId: z.string(),
  })
  .openapi("Problem", { description: "RFC 9457." });
