/** Tables of what the ledger counts and keeps beside the requests themselves. `schema.ts` has the conventions. */
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
    // For pruning: buckets of seconds and of months stand in one table, and are deleted at
    // different ages.
    index("counters_bucket").on(table.resource, table.bucket),
  ],
);

/** Replay keys: which request holds a key, and until when. */
export const idempotency = sqliteTable(
  "idempotency",
  {
    tenantId: tenantId(),
    keyId: text("key_id").notNull(),
    /** empty: no server */
    serverId: text("server_id").notNull(),
    /** as `domain/sampling/replay-key.ts` makes it */
    idempotencyKey: text("idempotency_key").notNull(),
    requestId: text("request_id").notNull(),
    /** hex SHA-256 of the request's params */
    contentSha256: text("content_sha256").notNull(),
    /** how often the recorded result was given again */
    replays: integer().notNull(),
    /** HTTP status with which the server took the answer to its sampling request */
    delivered: integer(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.keyId, table.serverId, table.idempotencyKey] }),
    index("idempotency_request").on(table.requestId),
    index("idempotency_expiry").on(table.expiresAt),
  ],
);

/** Recorded results of calls, sealed by the vault, in parts: a Durable Object holds 2 MB in a row. */
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

/** What is counted of requests. */
export const usageFigures = () => ({
  succeeded: integer().notNull(),
  failed: integer().notNull(),
  refused: integer().notNull(),
  cancelled: integer().notNull(),
  unknown: integer().notNull(),
  inputTokens: integer("input_tokens").notNull(),
  outputTokens: integer("output_tokens").notNull(),
  costMicroUsd: integer("cost_micro_usd").notNull(),
});

/**
 * What was used, by the hour in which a request was admitted, or refused on arrival. The transactions that end requests write these
 * rows, so no plot has to read records.
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
    ...usageFigures(),
    /**
     * 1: `home` has the row as it stands. 0: changed since. Else the version of the outbox that is on its
     * way with the row. It has no index, since an index would be one more row written for each call.
     */
    delivered: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({
      columns: [table.tenantId, table.hour, table.keyId, table.serverId, table.model],
    }),
  ],
);

/** What sums lack that are not written with each call: a ring of rows, of `books/journal.ts`. */
export const booksJournal = sqliteTable("books_journal", {
  place: integer().primaryKey(),
  number: integer().notNull(),
  entry: text().notNull(),
});
