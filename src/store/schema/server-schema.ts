import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { OauthClient, OauthFault } from "../../domain/servers/oauth.ts";
import type { ServerPolicy } from "../../domain/choice/policy.ts";
import type { AuthMode, BridgeMode, Learned, SamplingMode } from "../../domain/servers/server.ts";

const tenantId = () => text("tenant_id").notNull();

export const servers = sqliteTable(
  "servers",
  {
    id: text().primaryKey(),
    tenantId: tenantId(),
    slug: text().notNull(),
    url: text().notNull(),
    headerNames: text("header_names", { mode: "json" }).$type<string[]>().notNull(),
    passHeaders: text("pass_headers", { mode: "json" }).$type<string[]>().notNull().default([]),
    forwardAuthorization: integer("forward_authorization", { mode: "boolean" }).notNull(),
    sampling: text().$type<SamplingMode>().notNull(),
    supportedModalities: integer("supported_modalities", { mode: "boolean" }).notNull(),
    auth: text().$type<AuthMode>().notNull().default("keys"),
    bridge: text().$type<BridgeMode>().notNull().default("fallback"),
    parking: integer({ mode: "boolean" }).notNull().default(false),
    policy: text({ mode: "json" }).$type<ServerPolicy>().notNull(),
    oauth: text({ mode: "json" }).$type<OauthClient>(),
    learned: text({ mode: "json" }).$type<Learned>().notNull(),
    status: text().$type<"active" | "failing">().notNull(),
    /** header values and the OAuth client secret, sealed by the vault */
    sealed: text(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    index("servers_tenant").on(table.tenantId, table.id),
    uniqueIndex("servers_slug").on(table.tenantId, table.slug),
    index("servers_failing")
      .on(table.tenantId, table.id)
      .where(sql`${table.status} = 'failing'`),
  ],
);

const tokenColumns = () => ({
  sealed: text(),
  /** changes with every write, for optimistic locking */
  generation: text().notNull(),
  expiresAt: integer("expires_at"),
  /** nonce of the caller that is refreshing the token */
  lease: text(),
  leaseUntil: integer("lease_until").notNull(),
  fault: text().$type<OauthFault>(),
});

export const serverTokens = sqliteTable(
  "server_tokens",
  {
    tenantId: tenantId(),
    serverId: text("server_id").notNull(),
    ...tokenColumns(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.serverId] })],
);

/** Access tokens of clouds' credentials. They end within hours, so a new MASTER_KEY doesn't re-seal them. */
export const credentialTokens = sqliteTable(
  "credential_tokens",
  {
    tenantId: tenantId(),
    credentialId: text("credential_id").notNull(),
    ...tokenColumns(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.credentialId] })],
);

/** Tokens of a person's own account at the server. */
export const userTokens = sqliteTable(
  "user_tokens",
  {
    id: text().primaryKey(),
    tenantId: tenantId(),
    userId: text("user_id").notNull(),
    /** how the person proved their identity: `AccountOwner` */
    shown: text().notNull(),
    serverId: text("server_id").notNull(),
    ...tokenColumns(),
  },
  (table) => [
    uniqueIndex("user_tokens_of").on(table.tenantId, table.userId, table.shown, table.serverId),
    index("user_tokens_server").on(table.tenantId, table.serverId),
  ],
);

export const authorizations = sqliteTable(
  "authorizations",
  {
    /** hex SHA-256 of the state */
    id: text().primaryKey(),
    tenantId: tenantId(),
    serverId: text("server_id").notNull(),
    userId: text("user_id"),
    shown: text(),
    actor: text().notNull(),
    sealed: text().notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    index("authorizations_server").on(table.tenantId, table.serverId),
    index("authorizations_expiry").on(table.expiresAt),
  ],
);
