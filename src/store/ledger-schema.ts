/** What the ledger counts and keeps beside the requests themselves. As in `schema.ts`. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

const tenantId = () => text("tenant_id").notNull();

export const counters = sqliteTable(
  "counters",
  {
    tenantId: tenantId(),
    subject: text().notNull(),
    resource: text().notNull(),
    /** s since the epoch */
    bucket: integer().notNull(),
    amount: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.subject, table.resource, table.bucket] }),
    // Pruning: seconds and months live side by side, and go at different ages.
    index("counters_bucket").on(table.resource, table.bucket),
  ],
);

/** Calls that may be asked for again: which request holds a key, until when. */
export const idempotency = sqliteTable(
  "idempotency",
  {
    tenantId: tenantId(),
    keyId: text("key_id").notNull(),
    /** empty: no server */
    serverId: text("server_id").notNull(),
    /** as `domain/sampling/once.ts` makes it */
    idempotencyKey: text("idempotency_key").notNull(),
    requestId: text("request_id").notNull(),
    /** hex SHA-256 of the request's params */
    contentSha256: text("content_sha256").notNull(),
    /** how often the recorded result was given again */
    replays: integer().notNull(),
    /** HTTP status with which the server that asked took the answer */
    delivered: integer(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.keyId, table.serverId, table.idempotencyKey] }),
    index("idempotency_request").on(table.requestId),
    index("idempotency_expiry").on(table.expiresAt),
  ],
);

/** How those calls ended, sealed by the vault, in parts: D1 holds 2 MB in a row. */
export const results = sqliteTable(
  "results",
  {
    tenantId: tenantId(),
    requestId: text("request_id").notNull(),
    part: integer().notNull(),
    sealed: text().notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.requestId, table.part] }),
    index("results_expiry").on(table.expiresAt),
  ],
);

/**
 * What was used, by the hour in which a request arrived: written in the transactions that end
 * requests, so that no plot has to read the records.
 */
export const usage = sqliteTable(
  "usage",
  {
    tenantId: tenantId(),
    /** s since the epoch, a whole hour */
    hour: integer().notNull(),
    keyId: text("key_id").notNull(),
    /** empty: no server */
    serverId: text("server_id").notNull(),
    /** `provider/model`; empty: none was chosen */
    model: text().notNull(),
    succeeded: integer().notNull(),
    failed: integer().notNull(),
    refused: integer().notNull(),
    cancelled: integer().notNull(),
    unknown: integer().notNull(),
    inputTokens: integer("input_tokens").notNull(),
    outputTokens: integer("output_tokens").notNull(),
    costMicroUsd: integer("cost_micro_usd").notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.tenantId, table.hour, table.keyId, table.serverId, table.model],
    }),
  ],
);
