import { z } from "@hono/zod-openapi";
import { exportFormats } from "../../pipeline/admin/audit/export.ts";
import { recordFilter } from "./record-filters.ts";
import { millis, pageQuery } from "./schemas.ts";

const hash = z.string().openapi({ description: "SHA-256, hex" });

export const seal = z
  .object({
    version: z.literal(1),
    tenantId: z.string(),
    number: z.int().openapi({ description: "1, 2, 3… per tenant" }),
    previous: hash.openapi({ description: "hash of the previous statement; zeros for the first" }),
    root: hash.openapi({
      description: "Hash of `checked`, whose `tree` is the root over the records.",
    }),
    count: z.int(),
    firstCreatedAt: millis,
    lastCreatedAt: millis,
    sealedAt: millis,
    keyId: z.string(),
    signature: z.string().openapi({
      description: "Ed25519 over the other members except `checked` and `hash`, base64url",
    }),
    hash: hash.openapi({
      description: "hash of the statement, for witnesses and `--head`",
    }),
    checked: z
      .looseObject({
        tree: hash,
        through: z.int().openapi({ description: "the last assigned record number" }),
        tampered: z
          .array(z.looseObject({ what: z.string() }))
          .openapi({ description: "changed, missing or forged entries in the database" }),
        replaced: z.array(z.array(z.int())).openapi({
          description: "positions of records that were sealed again after a correction or late end",
        }),
      })
      .nullable()
      .openapi({ description: "Findings while sealing; null if lost." }),
  })
  .openapi("Seal");

export const sealPage = pageQuery.extend({
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "Unknown cursor.")
    .optional(),
});

export const exportQuery = recordFilter.extend({
  format: z.enum(exportFormats).optional().openapi({ description: "Default: ndjson." }),
  cursor: z
    .string()
    .regex(/^\d{1,15}-\d{1,15}$/, "Unknown cursor.")
    .optional()
    .openapi({ description: "Start of the next part, from the header X-Next-Cursor." }),
});
