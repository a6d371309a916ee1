/** The audit chain, and what may be asked of an export. */
import { z } from "@hono/zod-openapi";
import { exportFormats } from "../../pipeline/admin/audit/export.ts";
import { recordFilter } from "./record-schemas.ts";
import { millis, pageQuery } from "./schemas.ts";

const hash = z.string().openapi({ description: "SHA-256, hex" });

export const seal = z
  .object({
    version: z.literal(1),
    tenantId: z.string(),
    number: z.int().openapi({ description: "1, 2, 3… of each tenant" }),
    previous: hash.openapi({ description: "hash of the statement before it; zeros for the first" }),
    root: hash.openapi({
      description: "The leaf of `checked`, whose `tree` is that over the records.",
    }),
    count: z.int(),
    firstCreatedAt: millis,
    lastCreatedAt: millis,
    sealedAt: millis,
    keyId: z.string(),
    signature: z
      .string()
      .openapi({ description: "Ed25519 over the others but `checked` and `hash`, base64url" }),
    hash: hash.openapi({
      description: "of its statement: what a witness is sent, and `--head` takes",
    }),
    checked: z
      .looseObject({
        tree: hash,
        through: z.int().openapi({ description: "the last number of a record that was given out" }),
        tampered: z
          .array(z.looseObject({ what: z.string() }))
          .openapi({ description: "what was changed, missing or made in the database" }),
        replaced: z.array(z.array(z.int())).openapi({
          description: "positions of records that were sealed before, and corrected or ended since",
        }),
      })
      .nullable()
      .openapi({ description: "What was found while it was made; null: the database lost it." }),
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
