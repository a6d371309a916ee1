/** The audit chain, and what may be asked of an export. */
import { z } from "@hono/zod-openapi";
import { exportFormats } from "../../pipeline/admin/export.ts";
import { recordFilter } from "./record-schemas.ts";
import { millis, pageQuery } from "./schemas.ts";

const hash = z.string().openapi({ description: "SHA-256, hex" });

export const seal = z
  .object({
    version: z.union([z.literal(1), z.literal(2)]),
    tenantId: z.string(),
    number: z.int().openapi({ description: "1, 2, 3… of each tenant" }),
    previous: hash.openapi({ description: "hash of the statement before it; zeros for the first" }),
    root: hash.openapi({
      description:
        "version 1: of the Merkle tree over its records; version 2: the leaf of `checked`, whose `tree` that is",
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
        unauthenticated: z
          .array(z.array(z.int()))
          .openapi({ description: "positions of records for which no code vouches, as ranges" }),
        replaced: z.array(z.array(z.int())).openapi({
          description: "positions of records that were sealed before, and corrected or ended since",
        }),
      })
      .nullable()
      .openapi({ description: "What was found while it was made; null: version 1." }),
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
