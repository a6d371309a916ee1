/** The ports of registered servers: their entries, their tokens, and pending authorizations. */
import type { AdminEvent } from "../admin-event.ts";
import type { Calendar } from "../calendar.ts";
import type { OauthFault } from "../servers/oauth.ts";
import type { Refusal } from "../refusals.ts";
import type { Result } from "../result.ts";
import type { AccountOwner } from "../tenancy/user.ts";
import type { Learnt, McpServer, SealedServer } from "../servers/server.ts";

type Stored<T> = Promise<Result<T, Refusal>>;

export type ServerChange = Partial<Omit<SealedServer, "id" | "tenantId" | "slug" | "createdAt">>;

export interface ServerStore {
  create(server: SealedServer, event: AdminEvent): Stored<null>;
  bySlug(tenantId: string, slug: string): Stored<SealedServer | null>;
  byId(tenantId: string, id: string): Stored<SealedServer | null>;
  list(
    tenantId: string,
    page: { cursor: string | null; limit: number },
  ): Stored<{ data: McpServer[]; nextCursor: string | null }>;
  update(
    tenantId: string,
    id: string,
    change: ServerChange,
    /** `forget` deletes tokens and pending authorizations, because they were for the entry before the change */
    options: {
      event: AdminEvent;
      now: number;
      tokens: "keep" | "forget";
      ifVersion?: number;
      /** the tenant's days, weeks and months; absent: those of UTC */
      calendar?: Calendar;
    },
  ): Stored<null>;
  /** Removes the entry with its tokens and pending authorizations. */
  remove(tenantId: string, id: string, event: AdminEvent): Stored<null>;
  /** Adds to what is known of a server. Without an event, since nobody changed the entry. */
  learn(
    tenantId: string,
    id: string,
    /** null: this is forgotten again */
    learnt: { [K in keyof Learnt]?: Learnt[K] | null },
  ): Stored<null>;
  /** Replaces the sealed secrets by secrets that the router made itself, if they are still those. True if they were. */
  replaceSealed(
    tenantId: string,
    id: string,
    secrets: { from: string | null; to: string },
  ): Stored<boolean>;
  /** Writes the event and the new status, only if the status was another. */
  setStatus(
    tenantId: string,
    id: string,
    status: SealedServer["status"],
    options: { event: AdminEvent; now: number },
  ): Stored<null>;
}

/** What a server's authorization server granted. Every write has a new `generation`. */
export interface ServerTokens {
  tenantId: string;
  serverId: string;
  /** JSON of an `OauthGrant`, sealed; null: there is none yet */
  sealed: string | null;
  generation: string;
  /** when the access token ends; 0: it was refused; null: unknown */
  expiresAt: number | null;
  /** until when one caller alone asks for a new token; after a fault, when the next caller may ask */
  leaseUntil: number;
  /** why the last attempt to get a token failed */
  fault: OauthFault | null;
}

export interface TokenStore {
  get(tenantId: string, serverId: string): Stored<ServerTokens | null>;
  /**
   * Lets one of many callers ask for a new token: if the row still has the generation that the caller read
   * (null: there were no tokens), and nobody else is asking. Gives the row as it is then, or null.
   */
  claim(
    tenantId: string,
    serverId: string,
    claim: { from: string | null; lease: string; now: number; leaseUntil: number },
  ): Stored<ServerTokens | null>;
  /** Stores a grant and ends the lease, if the row still has that generation. True if it had. */
  save(
    tenantId: string,
    serverId: string,
    grant: { from: string; generation: string; sealed: string; expiresAt: number | null },
  ): Stored<boolean>;
  /** Notes that the attempt failed. The next caller may ask at `leaseUntil`. */
  fail(
    tenantId: string,
    serverId: string,
    failure: { from: string; fault: OauthFault; leaseUntil: number },
  ): Stored<null>;
  /** Replaces whatever is there by what a person has just authorized, with an event. */
  replace(tokens: ServerTokens, options: { event: AdminEvent; now: number }): Stored<null>;
  /** The access token was refused, so the next caller gets a new one. */
  expire(tenantId: string, serverId: string, generation: string): Stored<null>;
}

/** A person's own account at a server. */
export interface OwnAccount {
  serverId: string;
  /** slug */
  server: string;
  /** whether the server's authorization server still gave tokens, when the router last asked */
  works: boolean;
}

/** Tokens that are a person's own, who authorized the router at a server. */
export interface UserTokenStore {
  /** The tokens of one owner, as those of the tenant are kept. */
  of(owner: AccountOwner): TokenStore;
  /** The servers at which the owner has an account here, by slug. */
  accountsOf(tenantId: string, owner: AccountOwner): Stored<OwnAccount[]>;
  /** Deletes the owner's tokens at one server, and what is pending there, with an event. */
  end(
    of: { tenantId: string; owner: AccountOwner; serverId: string },
    event: AdminEvent,
  ): Stored<null>;
  /** Deletes all of the person's tokens, and what is pending. */
  forget(tenantId: string, userId: string): Stored<null>;
}

export interface TokenStores {
  serverTokens: TokenStore;
  userTokens: UserTokenStore;
}

/** A person was sent away to authorize the router, and may come back once. */
export interface Authorization {
  /** hex SHA-256 of the state, so that a reader of the table can't come back with it */
  id: string;
  tenantId: string;
  serverId: string;
  /** whose account it is for; null: the tenant's */
  owner: AccountOwner | null;
  /** who began the authorization */
  actor: string;
  /** JSON of a `PendingAuthorization` */
  sealed: string;
  expiresAt: number;
}

export interface AuthorizationStore {
  create(authorization: Authorization, event: AdminEvent): Stored<null>;
  /** Gives the authorization out once, and not after it has expired. */
  take(id: string, now: number): Stored<Authorization | null>;
  prune(now: number): Stored<number>;
}
