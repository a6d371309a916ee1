/**
 * Who is calling. A snapshot may come from this isolate's memory: whatever is admitted on it is
 * checked against the database in the same transaction, and whatever is refused on it is decided
 * again on a fresh one.
 */
import { isExpired, type Scope } from "../domain/access.ts";
import type { KeyTokens, Snapshot, Snapshots } from "../domain/ports.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { Session } from "../domain/session.ts";

export interface Caller {
  snapshot: Snapshot;
  session: Session | null;
  /** from memory, so possibly older than the database */
  warm: boolean;
}

export interface Claim {
  /** what came as the bearer token; null: nothing */
  token: string | null;
  sessionId: string | null;
  scope: Scope;
}

/** What an isolate remembers between requests. Bounded; holds hashes and sealed keys only. */
export interface CallerMemory {
  get(key: string): { snapshot: Snapshot; session: Session | null } | undefined;
  set(key: string, value: { snapshot: Snapshot; session: Session | null }): void;
  delete(key: string): void;
}

export function createCallerMemory(deps: {
  capacity: number;
  /** ms after which what was measured of providers is read again */
  lifetimeMs: number;
  now: () => number;
}): CallerMemory {
  const { capacity, lifetimeMs, now } = deps;
  const entries = new Map<
    string,
    { value: { snapshot: Snapshot; session: Session | null }; until: number }
  >();
  return {
    get(key) {
      const entry = entries.get(key);
      return entry === undefined || entry.until < now() ? undefined : entry.value;
    },
    set(key, value) {
      // Using it again does not make it younger.
      const known = entries.get(key);
      const until = known?.value.snapshot === value.snapshot ? known.until : now() + lifetimeMs;
      entries.delete(key);
      entries.set(key, { value, until });
      const oldest = entries.keys().next();
      if (entries.size > capacity && oldest.done !== true) entries.delete(oldest.value);
    },
    delete: (key) => void entries.delete(key),
  };
}

const unauthorized = (detail: string): Result<never, Refusal> =>
  err({ reason: "unauthorized", detail });

/** What a snapshot is remembered by. */
export const memoryKeyOf = (keyId: string, sessionId: string | null): string =>
  `${keyId} ${sessionId ?? ""}`;

export type Authenticate = (
  claim: Claim,
  freshness: "memory" | "database",
) => Promise<Result<Caller, Refusal>>;

export function createAuthenticate(deps: {
  snapshots: Snapshots;
  tokens: KeyTokens;
  memory: CallerMemory;
  now: () => number;
}): Authenticate {
  const { snapshots, tokens, memory, now } = deps;
  return async ({ token, sessionId, scope }, freshness) => {
    if (token === null) return unauthorized("Send Authorization: Bearer <API key>.");
    const keyId = tokens.keyIdOf(token);
    if (keyId === null) return unauthorized("Not an API key.");
    const memoryKey = memoryKeyOf(keyId, sessionId);
    const remembered = freshness === "memory" ? memory.get(memoryKey) : undefined;
    let found: { snapshot: Snapshot | null; session: Session | null };
    if (remembered === undefined) {
      const loaded = await snapshots.load(keyId, sessionId, now());
      if (!loaded.ok) return loaded;
      found = loaded.value;
    } else found = remembered;
    const { snapshot, session } = found;
    const known = snapshot !== null && (await tokens.matches(token, snapshot.key.secretHash));
    if (!known) {
      memory.delete(memoryKey);
      // A key rotated a moment ago looks wrong to an old snapshot.
      if (remembered !== undefined)
        return createAuthenticate(deps)({ token, sessionId, scope }, "database");
      return unauthorized("Unknown API key.");
    }
    if (snapshot.key.revokedAt !== null) {
      memory.delete(memoryKey);
      return unauthorized("This API key is revoked.");
    }
    if (isExpired(snapshot.key, now())) return unauthorized("This API key has expired.");
    if (!snapshot.key.scopes.includes(scope))
      return err({ reason: "forbidden", action: `this API key lacks the scope "${scope}"` });
    if (sessionId !== null && session === null) {
      memory.delete(memoryKey);
      return err({ reason: "session_not_found" });
    }
    memory.set(memoryKey, { snapshot, session });
    return ok({ snapshot, session, warm: remembered !== undefined });
  };
}
