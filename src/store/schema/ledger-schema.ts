import type { GroupedUsageKind } from "../../domain/ports/latencies.ts";
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
    // For pruning: buckets are deleted at different ages.
    index("counters_bucket").on(table.resource, table.bucket),
  ],
);

export const idempotency = sqliteTable(
  "idempotency",
  {
    tenantId: tenantId(),
    keyId: text("key_id").notNull(),
    serverId: text("server_id").notNull(),
    /** made by `domain/sampling/replay-key.ts` */
    idempotencyKey: text("idempotency_key").notNull(),
    requestId: text("request_id").notNull(),
    /** hex SHA-256 of the request's params */
    contentSha256: text("content_sha256").notNull(),
    replays: integer().notNull(),
    /** HTTP status of the server that received the answer */
    delivered: integer(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.keyId, table.serverId, table.idempotencyKey] }),
    index("idempotency_request").on(table.requestId),
    index("idempotency_expiry").on(table.expiresAt),
  ],
);

/** Results sealed by the vault, in parts: a Durable Object limits a row to 2 MB. */
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

/** Hourly usage by admission time, or by arrival time if refused; see `records/usage.ts`. */
export const usage = sqliteTable(
  "usage",
  {
    tenantId: tenantId(),
    hour: integer().notNull(),
    keyId: text("key_id").notNull(),
    serverId: text("server_id").notNull(),
    model: text().notNull(),
    ...usageFigures(),
    /**
     * 1: `home` has it; 0: changed since; else the delivery under way. No index, which would cost a written row
     * per call.
     */
    delivered: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({
      columns: [table.tenantId, table.hour, table.keyId, table.serverId, table.model],
    }),
  ],
);

/**
 * Hourly usage by a person's group, a call's tag or its endpoint, from sealed records, by a scheduled job. A call with several
 * groups counts in each.
 */
export const groupedUsage = sqliteTable(
  "grouped_usage",
  {
    tenantId: tenantId(),
    kind: text().$type<GroupedUsageKind>().notNull(),
    hour: integer().notNull(),
    name: text().notNull(),
    ...usageFigures(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.kind, table.hour, table.name] })],
);

/** The write-ahead journal of `memory-ledger/journal.ts`. */
export const ledgerJournal = sqliteTable("ledger_journal", {
  place: integer().primaryKey(),
  number: integer().notNull(),
  entry: text().notNull(),
});
