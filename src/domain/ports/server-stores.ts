import type { AdminEvent } from "../admin-event.ts";
import type { Calendar } from "../calendar.ts";
import type { OauthFault } from "../servers/oauth.ts";
import type { AsyncResult } from "../refusals.ts";
import type { AccountOwner } from "../tenancy/user.ts";
import type { Learned, McpServer, SealedServer } from "../servers/server.ts";

export type ServerChange = Partial<Omit<SealedServer, "id" | "tenantId" | "slug" | "createdAt">>;

export interface ServerStore {
  create(server: SealedServer, event: AdminEvent): AsyncResult<null>;
  bySlug(tenantId: string, slug: string): AsyncResult<SealedServer | null>;
  byId(tenantId: string, id: string): AsyncResult<SealedServer | null>;
  list(
    tenantId: string,
    page: { cursor: string | null; limit: number },
  ): AsyncResult<{ data: McpServer[]; nextCursor: string | null }>;
  update(
    tenantId: string,
    id: string,
    change: ServerChange,
    /** `forget`: tokens and pending authorizations belong to the previous entry */
    options: {
      event: AdminEvent;
      now: number;
      tokens: "keep" | "forget";
      ifVersion?: number;
      calendar?: Calendar;
    },
  ): AsyncResult<null>;
  remove(tenantId: string, id: string, event: AdminEvent): AsyncResult<null>;
  /** Without an event, because the entry itself does not change. */
  learn(
    tenantId: string,
    id: string,
    learned: { [K in keyof Learned]?: Learned[K] | null },
  ): AsyncResult<null>;
  /** Compare-and-swap of re-encrypted secrets. */
  replaceSealed(
    tenantId: string,
    id: string,
    secrets: { from: string | null; to: string },
  ): AsyncResult<boolean>;
  setStatus(
    tenantId: string,
    id: string,
    status: SealedServer["status"],
    options: { event: AdminEvent; now: number },
  ): AsyncResult<null>;
}

/** `generation` changes with every write. */
export interface ServerTokens {
  tenantId: string;
  /** a server, or a cloud's credential */
  serverId: string;
  sealed: string | null;
  generation: string;
  expiresAt: number | null;
  /** end of the renewal lease, or time of the next attempt */
  leaseUntil: number;
  fault: OauthFault | null;
}

export interface TokenStore {
  get(tenantId: string, serverId: string): AsyncResult<ServerTokens | null>;
  /** Acquires the renewal lease if the generation is unchanged (null: no tokens). Returns the row, or null. */
  claim(
    tenantId: string,
    serverId: string,
    claim: { from: string | null; lease: string; now: number; leaseUntil: number },
  ): AsyncResult<ServerTokens | null>;
  save(
    tenantId: string,
    serverId: string,
    grant: { from: string; generation: string; sealed: string; expiresAt: number | null },
  ): AsyncResult<boolean>;
  fail(
    tenantId: string,
    serverId: string,
    failure: { from: string; fault: OauthFault; leaseUntil: number },
  ): AsyncResult<null>;
  /** After a user's authorization. */
  replace(tokens: ServerTokens, options: { event: AdminEvent; now: number }): AsyncResult<null>;
  expire(tenantId: string, serverId: string, generation: string): AsyncResult<null>;
}

export interface OwnAccount {
  serverId: string;
  server: string;
  works: boolean;
}

export interface UserTokenStore {
  of(owner: AccountOwner): TokenStore;
  accountsOf(tenantId: string, owner: AccountOwner): AsyncResult<OwnAccount[]>;
  end(
    of: { tenantId: string; owner: AccountOwner; serverId: string },
    event: AdminEvent,
  ): AsyncResult<null>;
  forget(tenantId: string, userId: string): AsyncResult<null>;
}

/** Tokens that are obtained without a person. */
export type RenewedTokens = Omit<TokenStore, "replace">;

export interface TokenStores {
  serverTokens: TokenStore;
  userTokens: UserTokenStore;
}

/** A pending authorization, usable once. */
export interface Authorization {
  /** hex SHA-256 of the state, so that the table does not reveal the state */
  id: string;
  tenantId: string;
  serverId: string;
  owner: AccountOwner | null;
  actor: string;
  sealed: string;
  expiresAt: number;
}

export interface AuthorizationStore {
  create(authorization: Authorization, event: AdminEvent): AsyncResult<null>;
  take(id: string, now: number): AsyncResult<Authorization | null>;
  prune(now: number): AsyncResult<number>;
}
