/** The ports of registered servers: their entries, the tokens for them, and who is on the way to get one. */
import type { AdminEvent } from "../admin-event.ts";
import type { OauthFault } from "../servers/oauth.ts";
import type { Refusal } from "../refusals.ts";
import type { Result } from "../result.ts";
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
    /** its tokens and pending authorizations were for what it was before, and go */
    about: { event: AdminEvent; now: number; tokens: "keep" | "forget" },
  ): Stored<null>;
  /** With its tokens and pending authorizations. */
  remove(tenantId: string, id: string, event: AdminEvent): Stored<null>;
  /** Adds to what is known of it. No event: nobody changed anything. */
  learn(
    tenantId: string,
    id: string,
    /** null: forgotten again */
    learnt: { [K in keyof Learnt]?: Learnt[K] | null },
  ): Stored<null>;
  /** Writes the event, and the new status, only if it was another. */
  setStatus(
    tenantId: string,
    id: string,
    status: SealedServer["status"],
    about: { event: AdminEvent; now: number },
  ): Stored<null>;
}

/** What a server's authorization server granted. Every write has a new `generation`. */
export interface ServerTokens {
  tenantId: string;
  serverId: string;
  /** JSON of an `OauthGrant`; null: none yet */
  sealed: string | null;
  generation: string;
  /** when the access token ends; 0: it was refused; null: not known */
  expiresAt: number | null;
  /** until when one caller alone asks for another; after a fault, when the next may ask */
  leaseUntil: number;
  /** why the last asking brought nothing */
  fault: OauthFault | null;
}

export interface TokenStore {
  get(tenantId: string, serverId: string): Stored<ServerTokens | null>;
  /**
   * One of many callers may ask for a new token: if the row is still of the generation that it read
   * (null: it had no tokens), and nobody else is asking. The row as it is then, or null.
   */
  claim(
    tenantId: string,
    serverId: string,
    about: { from: string | null; lease: string; now: number; leaseUntil: number },
  ): Stored<ServerTokens | null>;
  /** Stores a grant and ends the lease, if the row is still of that generation. True if it was. */
  save(
    tenantId: string,
    serverId: string,
    about: { from: string; generation: string; sealed: string; expiresAt: number | null },
  ): Stored<boolean>;
  /** The asking failed; the next one may ask at `leaseUntil`. */
  fail(
    tenantId: string,
    serverId: string,
    about: { from: string; fault: OauthFault; leaseUntil: number },
  ): Stored<null>;
  /** What a person has just authorized replaces whatever there is, with an event. */
  replace(tokens: ServerTokens, about: { event: AdminEvent; now: number }): Stored<null>;
  /** Its access token was refused: the next caller gets another. */
  expire(tenantId: string, serverId: string, generation: string): Stored<null>;
}

/** A person was sent away to authorize the router, and may come back once. */
export interface Authorization {
  /** hex SHA-256 of the state: whoever reads the table can't come back with it */
  id: string;
  tenantId: string;
  serverId: string;
  /** who asked for it */
  actor: string;
  /** JSON of a `PendingAuthorization` */
  sealed: string;
  expiresAt: number;
}

export interface AuthorizationStore {
  create(authorization: Authorization, event: AdminEvent): Stored<null>;
  /** Gives it out once, and not after it has expired. */
  take(id: string, now: number): Stored<Authorization | null>;
  prune(now: number): Stored<number>;
}
