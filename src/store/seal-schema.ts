/** Tables of the audit chain. */
import type { SealingStep } from "../domain/tenancy/sealing.ts";
import { customType, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Checked, SealVersion } from "../domain/audit/seals.ts";

/** What is no JSON reads as null, as which no seal of version 2 was made: it must not stop a chain. */
const checkedColumn = customType<{ data: Checked; driverData: string }>({
  dataType: () => "text",
  toDriver: (checked) => JSON.stringify(checked),
  fromDriver(text) {
    try {
      return JSON.parse(text) as Checked;
    } catch {
      return null as unknown as Checked;
    }
  },
});

/** Each tenant's chain. What is signed, then the leaves: last, so that listing reads no overflow page. */
export const seals = sqliteTable(
  "seals",
  {
    tenantId: text("tenant_id").notNull(),
    number: integer().notNull(),
    version: integer().$type<SealVersion>().notNull(),
    previous: text().notNull(),
    root: text().notNull(),
    count: integer().notNull(),
    firstCreatedAt: integer("first_created_at").notNull(),
    lastCreatedAt: integer("last_created_at").notNull(),
    sealedAt: integer("sealed_at").notNull(),
    keyId: text("key_id").notNull(),
    signature: text().notNull(),
    /** what was found while it was made; null: version 1 */
    checked: checkedColumn(),
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
  /** under MASTER_KEY, over id and key; null: nobody vouches for it */
  code: text(),
});

/** The last number that each tenant's records were given. */
export const recordNumbers = sqliteTable("record_numbers", {
  tenantId: text("tenant_id").primaryKey(),
  last: integer().notNull(),
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
