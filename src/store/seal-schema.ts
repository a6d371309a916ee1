/** Tables of the audit chain. */
import type { SealingStep } from "../domain/sealing.ts";
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Each tenant's chain. What is signed, then the leaves: last, so that listing reads no overflow page. */
export const seals = sqliteTable(
  "seals",
  {
    tenantId: text("tenant_id").notNull(),
    number: integer().notNull(),
    version: integer().$type<1>().notNull(),
    previous: text().notNull(),
    root: text().notNull(),
    count: integer().notNull(),
    firstCreatedAt: integer("first_created_at").notNull(),
    lastCreatedAt: integer("last_created_at").notNull(),
    sealedAt: integer("sealed_at").notNull(),
    keyId: text("key_id").notNull(),
    signature: text().notNull(),
    /** 32 bytes a record, base64url: they outlive the records */
    leaves: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.number] })],
);

/** Public keys that ever signed: old seals stay verifiable after MASTER_KEY has changed. */
export const auditKeys = sqliteTable("audit_keys", {
  id: text().primaryKey(),
  publicKey: text("public_key").notNull(),
  createdAt: integer("created_at").notNull(),
});

/** How far everything that is sealed or coded has come under each master key. */
export const sealing = sqliteTable("sealing", {
  /** of the master key */
  keyId: text("key_id").primaryKey(),
  /** whether seals of version 1 and API keys without a code are taken over */
  adopts: integer({ mode: "boolean" }).notNull(),
  step: text().$type<SealingStep>().notNull(),
  /** ms since the epoch */
  since: integer().notNull(),
  /** of all the others, under that master key */
  code: text().notNull(),
});

/** Records that could not be read: each is reported once. They are tried again after a day. */
export const unreadableRecords = sqliteTable(
  "unreadable_records",
  {
    tenantId: text("tenant_id").notNull(),
    requestId: text("request_id").notNull(),
    problem: text().notNull(),
    foundAt: integer("found_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.requestId] })],
);

/** Whose turn a job is, and how far it has come. */
export const jobTurns = sqliteTable("job_turns", {
  job: text().primaryKey(),
  until: integer().notNull(),
  cursor: text().notNull(),
});
