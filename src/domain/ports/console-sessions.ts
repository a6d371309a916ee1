import type { AdminEvent } from "../admin-event.ts";
import type { AsyncResult } from "../refusals.ts";
import type { StoredKey } from "../tenancy/access.ts";
import type { StoredSignIn } from "../tenancy/sign-in.ts";
import type { StoredConsoleSession } from "../tenancy/console-session.ts";

export interface FoundConsoleSession {
  session: StoredConsoleSession;
  key: StoredKey | null;
  slug: string | null;
  signIn: StoredSignIn | null;
}

export interface ConsoleSessionStore {
  /** Ends the subject's oldest excess sessions. */
  create(session: StoredConsoleSession, event: AdminEvent): AsyncResult<null>;
  find(id: string, now: number): AsyncResult<FoundConsoleSession | null>;
  end(session: Pick<StoredConsoleSession, "id" | "tenantId">, event: AdminEvent): AsyncResult<null>;
  prune(now: number): AsyncResult<number>;
}
