import type { SealingStep } from "../../domain/tenancy/sealing.ts";
import { customType, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { DeletionNotice } from "../../domain/audit/deletion-notices.ts";
import type { Checked } from "../../domain/audit/seals.ts";

/** Invalid JSON reads as `null`, so that one value can't stop a chain. */
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

/** Invalid JSON reads as no notices, so that its records count as erased. */
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

/** Signed columns first; leaves last, so that listing reads no overflow page. */
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
    checked: checkedColumn().notNull(),
    /** 32 bytes per record, base64url; they outlive the records */
    leaves: text().notNull(),
    /** signed notices of records that were deleted or sealed again */
    deletions: deletionsColumn(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.number] })],
);

/** Public keys that ever signed, so that old seals stay verifiable after MASTER_KEY changes. */
export const auditKeys = sqliteTable("audit_keys", {
  id: text().primaryKey(),
  publicKey: text("public_key").notNull(),
  createdAt: integer("created_at").notNull(),
  /** code under MASTER_KEY over id and key */
  code: text().notNull(),
  /** whether `home` has the key; unused in `home` */
  delivered: integer({ mode: "boolean" }).notNull().default(false),
});

export const recordNumbers = sqliteTable("record_numbers", {
  tenantId: text("tenant_id").primaryKey(),
  last: integer().notNull(),
});

/** Progress of re-sealing per master key. */
export const sealing = sqliteTable("sealing", {
  keyId: text("key_id").primaryKey(),
  step: text().$type<SealingStep>().notNull(),
  since: integer().notNull(),
});
/** Reported once, retried after a day. */
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

/** Lease and progress of each scheduled job. */
export const jobLeases = sqliteTable("job_leases", {
  job: text().primaryKey(),
  until: integer().notNull(),
  cursor: text().notNull(),
});
