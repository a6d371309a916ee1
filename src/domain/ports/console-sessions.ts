/** The port for console sessions. */
import type { AdminEvent } from "../admin-event.ts";
import type { AsyncResult } from "../refusals.ts";
import type { StoredKey } from "../tenancy/access.ts";
import type { StoredSignIn } from "../tenancy/sign-in.ts";
import type { StoredConsoleSession } from "../tenancy/console-session.ts";

/** A session, with what it rests on as that is now. */
export interface FoundConsoleSession {
  session: StoredConsoleSession;
  /** the key of a key's session; null: there is none any more */
  key: StoredKey | null;
  /** the tenant's slug; null: the session has no tenant, or the tenant was removed */
  slug: string | null;
  /** the tenant's identity provider; null: it has none */
  signIn: StoredSignIn | null;
}

export interface ConsoleSessionStore {
  /** Ends the oldest sessions of the same subject that are too many. */
  create(session: StoredConsoleSession, event: AdminEvent): AsyncResult<null>;
  /** null: there is no such session, or its time is over. */
  find(id: string, now: number): AsyncResult<FoundConsoleSession | null>;
  end(session: Pick<StoredConsoleSession, "id" | "tenantId">, event: AdminEvent): AsyncResult<null>;
  prune(now: number): AsyncResult<number>;
}
