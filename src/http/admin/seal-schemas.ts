/** The audit chain, and what may be asked of an export. */
import { z } from "@hono/zod-openapi";
import { exportFormats } from "../../pipeline/admin/export.ts";
import { recordFilter } from "./record-schemas.ts";
import { millis, pageQuery } from "./schemas.ts";

const hash = z.string().openapi({ description: "SHA-256, hex" });

export const seal = z
  .object({
    version: z.literal(1),
    tenantId: z.string(),
    number: z.int().openapi({ description: "1, 2, 3… of each tenant" }),
    previous: hash.openapi({ description: "hash of the statement before it; zeros for the first" }),
    root: hash.openapi({ description: "of the Merkle tree over its records" }),
    count: z.int(),
    firstCreatedAt: millis,
    lastCreatedAt: millis,
    sealedAt: millis,
    keyId: z.string(),
    signature: z.string().openapi({ description: "Ed25519 over the others, base64url" }),
  })
  .openapi("Seal");

export const sealPage = pageQuery.extend({
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "Not a cursor that was given out.")
    .optional(),
});

export const exportQuery = recordFilter.extend({
  format: z.enum(exportFormats).optional().openapi({ description: "Default: ndjson." }),
  cursor: z
    .string()
    .regex(/^\d{1,15}-\d{1,15}$/, "Not a cursor that was given out.")
    .optional()
    .openapi({ description: "Where the next part begins, as the header X-Next-Cursor said." }),
});
