/**
 * Times are ms since the epoch, money is micro-USD, ids sort by time. Every query on a tenant's table names the
 * tenant.
 */
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Scope } from "../domain/tenancy/scopes.ts";
import type { Correction, Outcome } from "../domain/audit/record.ts";
import type { Ceiling } from "../domain/limits/ceilings.ts";
import type { JsonObject } from "../domain/json.ts";
import type { CloudPlace } from "../domain/models/cloud-place.ts";
import type { DeclaredModel, LastCheck, Listing, Model } from "../domain/models/model.ts";
import type { Limits, Policy } from "../domain/choice/policy.ts";
import type { Reason } from "../domain/refusals.ts";
import type { Residency } from "../domain/tenancy/residency.ts";
import type { Bridge } from "../domain/tenancy/session.ts";
import type { MediaUsage, TokenClasses } from "../domain/usage.ts";
import { decisionColumn } from "./rows/decisions.ts";
import { limitChecksColumn } from "./rows/stored-limit-checks.ts";
import { askedColumn, attemptsColumn, timingColumn } from "./rows/packed-columns.ts";

export const tenants = sqliteTable("tenants", {
  id: text().primaryKey(),
  slug: text().notNull().unique(),
  name: text().notNull(),
  policy: text({ mode: "json" }).$type<Policy>().notNull(),
  ceiling: text({ mode: "json" }).$type<Ceiling>().notNull(),
  version: integer().notNull(),
  createdAt: integer("created_at").notNull(),
  residency: text({ mode: "json" }).$type<Residency>(),
});

// No foreign keys: libSQL may not enforce them.
const tenantId = () => text("tenant_id").notNull();

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text().primaryKey(),
    tenantId: tenantId(),
    name: text().notNull(),
    /** hex SHA-256 of the token's secret part; the secret is not stored */
    secretHash: text("secret_hash").notNull(),
    /** HMAC over `codedText`, keyed from MASTER_KEY */
    code: text().notNull(),
    givenTo: text("given_to", { mode: "json" }).$type<string[]>().notNull().default([]),
    scopes: text({ mode: "json" }).$type<Scope[]>().notNull(),
    limits: text({ mode: "json" }).$type<Limits>().notNull(),
    expiresAt: integer("expires_at"),
    revokedAt: integer("revoked_at"),
    createdAt: integer("created_at").notNull(),
    createdBy: text("created_by").notNull(),
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
    /** of a cloud's credential */
    place: text({ mode: "json" }).$type<CloudPlace>(),
    models: text({ mode: "json" }).$type<DeclaredModel[]>(),
    /** the values are in `sealed` */
    headerNames: text("header_names", { mode: "json" }).$type<string[]>(),
    status: text().$type<"active" | "failing">().notNull(),
    sealed: text().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    listing: text({ mode: "json" }).$type<Listing>(),
    lastCheck: text("last_check", { mode: "json" }).$type<LastCheck>(),
    listingDueAt: integer("listing_due_at").notNull().default(0),
  },
  (table) => [
    index("credentials_tenant").on(table.tenantId, table.id),
    index("credentials_failing")
      .on(table.tenantId, table.id)
      .where(sql`${table.status} = 'failing'`),
  ],
);

export const sessions = sqliteTable(
  "sessions",
  {
    id: text().primaryKey(),
    tenantId: tenantId(),
    keyId: text("key_id").notNull(),
    revision: text().notNull(),
    /** as received */
    capabilities: text({ mode: "json" }).$type<JsonObject>().notNull(),
    clientInfo: text("client_info", { mode: "json" }).$type<JsonObject>().notNull(),
    serverId: text("server_id"),
    upstreamId: text("upstream_id"),
    advertisedCapabilities: text({ mode: "json" }).$type<JsonObject>(),
    bridge: text({ mode: "json" }).$type<Bridge>(),
    clientStreamUntil: integer("client_stream_until"),
    routerStreamUntil: integer("router_stream_until"),
    parkedUntil: integer("parked_until"),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    index("sessions_tenant").on(table.tenantId, table.id),
    // Counts a key's sessions. Using a session changes none of these columns.
    index("sessions_key").on(table.tenantId, table.keyId),
    // Two keys may use the same session id of a server, as separate sessions.
    uniqueIndex("sessions_upstream")
      .on(table.tenantId, table.serverId, table.keyId, table.upstreamId)
      .where(sql`${table.serverId} is not null`),
    index("sessions_bridge")
      .on(table.tenantId, table.keyId, table.serverId, sql`"bridge" ->> 'key'`)
      .where(sql`${table.bridge} is not null`),
    // Counts a tenant's parked calls.
    index("sessions_parked")
      .on(table.tenantId, table.parkedUntil)
      .where(sql`${table.parkedUntil} is not null`),
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
    /** `provider/model`: the chosen one, then the one that answered */
    model: text(),
    /** nonce of the settlement write, so that a repeated batch settles once */
    settlement: text(),
    /** when limits counted the call, which also determines its usage hour */
    admittedAt: integer("admitted_at"),
    leaseUntil: integer("lease_until"),
    /** end of the first lease, which the first code covers; `null` unless the lease was renewed */
    firstLease: integer("first_lease"),
    /** code over the renewed lease */
    leaseCode: text("lease_code"),
    reservedTokens: integer("reserved_tokens"),
    reservedMicroUsd: integer("reserved_micro_usd"),
    inputTokens: integer("input_tokens"),
    outputTokens: integer("output_tokens"),
    usageEstimated: integer("usage_estimated", { mode: "boolean" }),
    /** images, seconds of audio, characters of speech */
    mediaUsage: text("media_usage", { mode: "json" }).$type<MediaUsage>(),
    /** tokens of classes with their own price */
    usageClasses: text("usage_classes", { mode: "json" }).$type<TokenClasses>(),
    /** reported figures were implausible, so the call was charged as reserved */
    usageImplausible: integer("usage_implausible", { mode: "boolean" }).notNull().default(false),
    costMicroUsd: integer("cost_micro_usd"),
    overshoot: integer({ mode: "boolean" }).notNull(),
    /** an operator's correction; the other columns stay unchanged */
    correction: text({ mode: "json" }).$type<Correction>(),
    timing: timingColumn(),
    totalMs: integer("total_ms"),
    overheadMs: integer("overhead_ms"),
    settledAt: integer("settled_at"),
    /** ms until the refusing limit has room, as of the admission */
    retryAfterMs: integer("retry_after_ms"),
    /** refusing limit: claim index × checks per claim + check index; refused rows store no checks */
    refusedCheck: integer("refused_check"),
    /** position in the tenant's chain; `null` until sealed or after a correction */
    sealNumber: integer("seal_number"),
    sealPosition: integer("seal_position"),
    /** position before a correction or a late end, until sealed again */
    formerSeal: integer("former_seal"),
    formerPosition: integer("former_position"),
    /** gapless per tenant */
    recordNumber: integer("record_number").notNull(),
    /** first code, by the admission: see `record-codes.ts` */
    openingCode: text("opening_code").notNull(),
    /** second code over the whole record, by the settlement; `null` if SQL ended the call */
    endingCode: text("ending_code"),
    correctionCode: text("correction_code"),
    // Large columns last: SQLite reads a row page by page up to the last column it needs.
    asked: askedColumn(),
    decision: decisionColumn(),
    attempts: attemptsColumn().notNull(),
    limitChecks: limitChecksColumn("limit_checks").notNull(),
  },
  (table) => [
    // Each index costs one written row per call. A record is in three: id, list, and one of `live`, `waiting`,
    // `chain` (decision 0044). `waiting` holds finished records that aren't sealed yet.
    index("sampling_requests_waiting")
      .on(table.tenantId, table.recordNumber)
      .where(sql`${table.sealNumber} is null and ${table.outcome} <> 'admitted'`),
    index("sampling_requests_chain")
      .on(table.tenantId, table.sealNumber, table.sealPosition)
      .where(sql`${table.sealNumber} is not null`),
    // Used by all lists. All filters except `server` are evaluated in the index. Also used by retention, since ids
    // sort by time.
    index("sampling_requests_tenant").on(
      table.tenantId,
      table.id,
      table.createdAt,
      table.outcome,
      table.model,
      table.keyId,
      table.sessionId,
    ),
    // Unsettled calls (running or pending approval), for concurrency and expired leases.
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
    /** JSON of request and result, sealed by the vault */
    sealed: text().notNull(),
  },
  // ids sort by time
  (table) => [index("captures_tenant").on(table.tenantId, table.requestId)],
);

/** The synced catalogue, shared by all tenants. One row per provider: a Durable Object limits a row to 2 MB. */
export const catalogues = sqliteTable("catalogues", {
  provider: text().primaryKey(),
  models: text({ mode: "json" }).$type<Model[]>().notNull(),
});

export const catalogueMeta = sqliteTable("catalogue_meta", {
  id: integer().primaryKey(),
  version: text(),
  syncedAt: integer("synced_at"),
  /** when the next sync may start; during a sync, when it counts as failed */
  dueAt: integer("due_at").notNull(),
  /** version of the bundled catalogue at the last sync */
  seedVersion: text("seed_version"),
  /** why the last sync was rejected */
  fault: text(),
});

/** Admin events. They outlive the tenants they are about. */
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
    /** whether `home` has the event; unused in `home` */
    delivered: integer({ mode: "boolean" }).notNull().default(false),
  },
  (table) => [
    index("admin_events_tenant").on(table.tenantId, table.id),
    index("admin_events_outbox")
      .on(table.id)
      .where(sql`${table.delivered} = 0`),
  ],
);
