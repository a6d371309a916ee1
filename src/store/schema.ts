/**
 * One schema for all databases. Times are ms since the epoch, money is micro-USD, ids sort by time.
 * Every table that a tenant owns carries `tenant_id`, and every query on it names the tenant.
 */
import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { Scope } from "../domain/tenancy/scopes.ts";
import type { Correction, Outcome } from "../domain/audit/record.ts";
import type { Ceiling } from "../domain/limits/ceilings.ts";
import type { JsonObject } from "../domain/json.ts";
import type { DeclaredModel, Listing, Model, ModelChange } from "../domain/models/model.ts";
import type { Limits, Policy } from "../domain/choice/policy.ts";
import type { Reason } from "../domain/refusals.ts";
import type { Residency } from "../domain/tenancy/residency.ts";
import type { Bridge } from "../domain/tenancy/session.ts";
import type { MediaUsage, TokenClasses } from "../domain/usage.ts";
import { decisionColumn } from "./rows/decisions.ts";
import { holdsColumn } from "./rows/row-holds.ts";
import { askedColumn, attemptsColumn, timingColumn } from "./rows/packed-columns.ts";

export const tenants = sqliteTable("tenants", {
  id: text().primaryKey(),
  slug: text().notNull().unique(),
  name: text().notNull(),
  policy: text({ mode: "json" }).$type<Policy>().notNull(),
  ceiling: text({ mode: "json" }).$type<Ceiling>().notNull(),
  version: integer().notNull(),
  createdAt: integer("created_at").notNull(),
  /** where the tenant's data was asked to live; null: nobody asked */
  residency: text({ mode: "json" }).$type<Residency>(),
});

// No foreign keys: some databases enforce them and libSQL may not, so nothing could rely on them.
const tenantId = () => text("tenant_id").notNull();

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text().primaryKey(),
    tenantId: tenantId(),
    name: text().notNull(),
    /** hex SHA-256 of the token's secret part; the secret itself is stored nowhere */
    secretHash: text("secret_hash").notNull(),
    /** a code under MASTER_KEY over what `codedText` says of the row */
    code: text().notNull(),
    givenTo: text("given_to", { mode: "json" }).$type<string[]>().notNull().default([]),
    scopes: text({ mode: "json" }).$type<Scope[]>().notNull(),
    limits: text({ mode: "json" }).$type<Limits>().notNull(),
    expiresAt: integer("expires_at"),
    revokedAt: integer("revoked_at"),
    createdAt: integer("created_at").notNull(),
    /** the person for whom the key is; null: it is of no person */
    userId: text("user_id"),
  },
  (table) => [
    index("api_keys_tenant").on(table.tenantId, table.id),
    index("api_keys_user")
      .on(table.tenantId, table.userId)
      .where(sql`${table.userId} is not null`),
  ],
);

export const credentials = sqliteTable(
  "credentials",
  {
    id: text().primaryKey(),
    tenantId: tenantId(),
    provider: text().notNull(),
    name: text().notNull(),
    baseUrl: text("base_url"),
    models: text({ mode: "json" }).$type<DeclaredModel[]>(),
    status: text().$type<"active" | "failing">().notNull(),
    /** the provider's key, sealed by the vault */
    sealed: text().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** what the provider lists for the key */
    listing: text({ mode: "json" }).$type<Listing>(),
    /** ms since the epoch, before which the list isn't read again */
    listingDueAt: integer("listing_due_at").notNull().default(0),
  },
  (table) => [
    index("credentials_tenant").on(table.tenantId, table.id),
    index("credentials_failing")
      .on(table.tenantId, table.id)
      .where(sql`${table.status} = 'failing'`),
  ],
);

export const modelOverrides = sqliteTable(
  "model_overrides",
  {
    tenantId: tenantId(),
    provider: text().notNull(),
    model: text().notNull(),
    change: text({ mode: "json" }).$type<ModelChange>().notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.provider, table.model] })],
);

export const sessions = sqliteTable(
  "sessions",
  {
    id: text().primaryKey(),
    tenantId: tenantId(),
    keyId: text("key_id").notNull(),
    revision: text().notNull(),
    /** raw, as it came off the wire */
    capabilities: text({ mode: "json" }).$type<JsonObject>().notNull(),
    clientInfo: text("client_info", { mode: "json" }).$type<JsonObject>().notNull(),
    serverId: text("server_id"),
    upstreamId: text("upstream_id"),
    told: text({ mode: "json" }).$type<JsonObject>(),
    bridge: text({ mode: "json" }).$type<Bridge>(),
    clientStreamUntil: integer("client_stream_until"),
    routerStreamUntil: integer("router_stream_until"),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    index("sessions_tenant").on(table.tenantId, table.id),
    // For counting a key's sessions. A session's use changes none of these columns.
    index("sessions_key").on(table.tenantId, table.keyId),
    // Two keys may know the same session id of a server, and neither gets the other's session.
    uniqueIndex("sessions_upstream")
      .on(table.tenantId, table.serverId, table.keyId, table.upstreamId)
      .where(sql`${table.serverId} is not null`),
    index("sessions_bridge")
      .on(table.tenantId, table.keyId, table.serverId, sql`"bridge" ->> 'key'`)
      .where(sql`${table.bridge} is not null`),
    index("sessions_expiry").on(table.expiresAt),
  ],
);

export const samplingRequests = sqliteTable(
  "sampling_requests",
  {
    id: text().primaryKey(),
    tenantId: tenantId(),
    keyId: text("key_id").notNull(),
    sessionId: text("session_id"),
    serverId: text("server_id"),
    tool: text(),
    clientName: text("client_name"),
    clientVersion: text("client_version"),
    revision: text(),
    createdAt: integer("created_at").notNull(),
    contentSha256: text("content_sha256").notNull(),
    outcome: text().$type<Outcome>().notNull(),
    reason: text().$type<Reason>(),
    reasonDetail: text("reason_detail"),
    /** `provider/model`: first the one that was chosen, then the one that answered */
    model: text(),
    /** whether the admission has raised the counters; false only inside of the admission's own transaction */
    /** which try of the settlement ended the call, so that the same batch sent again may say that it did */
    settlement: text(),
    /** when the limits counted the call, which is its hour of usage too; null: they never did */
    admittedAt: integer("admitted_at"),
    leaseUntil: integer("lease_until"),
    reservedTokens: integer("reserved_tokens"),
    reservedMicroUsd: integer("reserved_micro_usd"),
    inputTokens: integer("input_tokens"),
    outputTokens: integer("output_tokens"),
    usageEstimated: integer("usage_estimated", { mode: "boolean" }),
    /** images, seconds of audio, characters read aloud; null: text only */
    mediaUsage: text("media_usage", { mode: "json" }).$type<MediaUsage>(),
    /** tokens of the classes that are priced apart; null: none */
    usageClasses: text("usage_classes", { mode: "json" }).$type<TokenClasses>(),
    /** the reported figures were not believed, so the call was charged as reserved */
    usageImplausible: integer("usage_implausible", { mode: "boolean" }).notNull().default(false),
    costMicroUsd: integer("cost_micro_usd"),
    overshoot: integer({ mode: "boolean" }).notNull(),
    /** what an operator found out about a call whose figures were not known; the other columns stay as they were */
    correction: text({ mode: "json" }).$type<Correction>(),
    timing: timingColumn(),
    totalMs: integer("total_ms"),
    overheadMs: integer("overhead_ms"),
    settledAt: integer("settled_at"),
    /** ms until the limit that refused has room, as the admission found it */
    retryAfterMs: integer("retry_after_ms"),
    /** position in `holds` of the limit that refused */
    refusedHold: integer("refused_hold"),
    /** the record's place in the tenant's chain; null: not sealed yet, or corrected since */
    sealNumber: integer("seal_number"),
    sealPosition: integer("seal_position"),
    /** the place before a correction or a late end, until the record is sealed again; null: none */
    formerSeal: integer("former_seal"),
    formerPosition: integer("former_position"),
    /** number among the tenant's records, without gaps */
    recordNumber: integer("record_number").notNull(),
    /** the first code: over who, asked, decision, reservation; the admission makes it, see `record-codes.ts` */
    openingCode: text("opening_code").notNull(),
    /** the second code: over the whole record, made by the settlement; null: SQL ended the call */
    endingCode: text("ending_code"),
    /** the code over the correction */
    correctionCode: text("correction_code"),
    // The large columns stand last: SQLite reads a row page by page, up to the last column needed.
    asked: askedColumn(),
    decision: decisionColumn(),
    attempts: attemptsColumn().notNull(),
    holds: holdsColumn().notNull(),
  },
  (table) => [
    // Every index costs a row written by each call, so a record stands in four at a time: by its id, in
    // the list, and while it runs in `live`, then in `waiting`, then in `chain`. See decision 0044.
    // Records that have ended and are not sealed. Sealing takes them out, so the index stays small.
    index("sampling_requests_waiting")
      .on(table.tenantId, table.recordNumber)
      .where(sql`${table.sealNumber} is null and ${table.outcome} <> 'admitted'`),
    index("sampling_requests_chain")
      .on(table.tenantId, table.sealNumber, table.sealPosition)
      .where(sql`${table.sealNumber} is not null`),
    // All lists go by this index: rows that do not match are passed over in the index. So does
    // retention, since ids sort by time.
    index("sampling_requests_tenant").on(
      table.tenantId,
      table.id,
      table.createdAt,
      table.outcome,
      table.model,
      table.keyId,
      table.sessionId,
    ),
    // For counting concurrent calls, and for finding leases that ran out: it holds the calls that run,
    // and nothing else, so even reading all of it is quick.
    index("sampling_requests_live")
      .on(table.tenantId, table.keyId, table.serverId, table.leaseUntil)
      .where(sql`${table.outcome} = 'admitted'`),
  ],
);

export const captures = sqliteTable(
  "captures",
  {
    requestId: text("request_id").primaryKey(),
    tenantId: tenantId(),
    /** JSON of the request and its result, sealed by the vault */
    sealed: text().notNull(),
  },
  // By age, since ids sort by time.
  (table) => [index("captures_tenant").on(table.tenantId, table.requestId)],
);

/** The synced catalogue, which all tenants share. One row per provider: a Durable Object holds 2 MB in a row. */
export const catalogues = sqliteTable("catalogues", {
  provider: text().primaryKey(),
  models: text({ mode: "json" }).$type<Model[]>().notNull(),
});

/** One row. */
export const catalogueMeta = sqliteTable("catalogue_meta", {
  id: integer().primaryKey(),
  /** null: never synced */
  version: text(),
  syncedAt: integer("synced_at"),
  /** when the next sync may begin; while a sync runs, when that sync counts as cut off */
  dueAt: integer("due_at").notNull(),
  /** version of the seed that the last sync began with */
  seedVersion: text("seed_version"),
  /** why the last sync was refused; null: it was not */
  fault: text(),
});

/** The log of admin actions. It outlives the tenants that its events are about. */
export const adminEvents = sqliteTable(
  "admin_events",
  {
    id: text().primaryKey(),
    at: integer().notNull(),
    actor: text().notNull(),
    action: text().notNull(),
    tenantId: text("tenant_id"),
    target: text().notNull(),
    detail: text({ mode: "json" }).$type<JsonObject>().notNull(),
    /** whether `home` has the event too; says nothing in `home` itself */
    delivered: integer({ mode: "boolean" }).notNull().default(false),
  },
  (table) => [
    index("admin_events_tenant").on(table.tenantId, table.id),
    index("admin_events_outbox")
      .on(table.id)
      .where(sql`${table.delivered} = 0`),
  ],
);
