/** Tables of the audit chain. */
import type { SealingStep } from "../../domain/tenancy/sealing.ts";
import { customType, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { DeletionNotice } from "../../domain/audit/deletion-notices.ts";
import type { Checked } from "../../domain/audit/seals.ts";

/** A value that is no JSON reads as null: one broken value must not stop a chain. */
const checkedColumn = customType<{ data: Checked; driverData: string }>({
  dataType: () => "text",
  toDriver: (checked) => JSON.stringify(checked),
  fromDriver(stored) {
    try {
      return JSON.parse(stored) as Checked;
    } catch {
      return null as unknown as Checked;
    }
  },
});

/** A value that is no JSON reads as no notices, so that its records count as erased. */
const deletionsColumn = customType<{ data: DeletionNotice[]; driverData: string }>({
  dataType: () => "text",
  toDriver: (notices) => JSON.stringify(notices),
  fromDriver(stored) {
    try {
      const notices: unknown = JSON.parse(stored);
      return Array.isArray(notices) ? (notices as DeletionNotice[]) : [];
    } catch {
      return [];
    }
  },
});

/**
 * Each tenant's chain: the signed columns, then the leaves. The leaves stand last, so that listing
 * reads no overflow page.
 */
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
    /** what was found while the seal was made */
    checked: checkedColumn().notNull(),
    /** 32 bytes a record, base64url: they outlive the records */
    leaves: text().notNull(),
    /** signed notices of its records that were deleted or sealed again; null: none was */
    deletions: deletionsColumn(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.number] })],
);

/** Public keys that ever signed, so that old seals stay verifiable after MASTER_KEY has changed. */
export const auditKeys = sqliteTable("audit_keys", {
  id: text().primaryKey(),
  publicKey: text("public_key").notNull(),
  createdAt: integer("created_at").notNull(),
  /** a code under MASTER_KEY over id and key */
  code: text().notNull(),
  /** whether `home` has the key too; says nothing in `home` itself */
  delivered: integer({ mode: "boolean" }).notNull().default(false),
});

/** The last number that was given to a record of each tenant. */
export const recordNumbers = sqliteTable("record_numbers", {
  tenantId: text("tenant_id").primaryKey(),
  last: integer().notNull(),
});

/** How far sealing anew has come under each master key, for everything that is sealed or coded. */
export const sealing = sqliteTable("sealing", {
  /** id of the master key */
  keyId: text("key_id").primaryKey(),
  step: text().$type<SealingStep>().notNull(),
  /** ms since the epoch */
  since: integer().notNull(),
});
/** Records that could not be read. Each is reported once, and tried again after a day. */
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

/** Who has the turn of a job, and how far the job has come. */
export const jobTurns = sqliteTable("job_turns", {
  job: text().primaryKey(),
  until: integer().notNull(),
  cursor: text().notNull(),
});
