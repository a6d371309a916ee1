/** A snapshot may come from memory: admissions recheck it, and refusals are repeated on a fresh one. */
import { clockSlackMs } from "../../domain/clocks.ts";
import { stoppedBy } from "../../domain/choice/switches.ts";
import { isExpired } from "../../domain/tenancy/access.ts";
import { opens, roles, type Demand } from "../../domain/tenancy/scopes.ts";
import type { KeyTokens, Snapshot, Snapshots } from "../../domain/ports/stores.ts";
import type { SealedServer } from "../../domain/servers/server.ts";
import { noSuchServer, type Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { KeyCodes } from "./key-codes.ts";
import type { TokenRights } from "../../domain/ports/authorization-server.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { memoryKeyOf, type CallerMemory, type Remembered } from "./caller-memory.ts";
import { keyStatusOf } from "./lanes.ts";
import { shownKey, unknownKey, type Opened } from "./shown-key.ts";
import type { LookupPacer } from "./lookup-pacer.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { shownSecret, signedIn, type AccountOwner, type User } from "../../domain/tenancy/user.ts";

export interface Caller {
  snapshot: Snapshot;
  session: Session | null;
  server: SealedServer | null;
  /** read from memory, so possibly outdated */
  warm: boolean;
  memoryKey: string;
  user?: User;
  /** whose accounts at servers the caller uses */
  account?: AccountOwner;
  grantId?: string;
}

export interface Claim extends Opened {
  token: string | null;
  sessionId: string | null;
}

const unauthorized = (detail: string): Result<never, Refusal> =>
  err({ reason: "unauthorized", detail });

/** ms for proxied messages, for which a revoked key can pass messages without sampling. */
const recentMs = 5_000;

/** ms for open streams. */
const watchMs = 2_500;

const withinMs = { memory: undefined, recent: recentMs, watch: watchMs } as const;

export type Authenticate = (
  claim: Claim,
  freshness: "memory" | "recent" | "watch" | "database",
) => Promise<Result<Caller, Refusal>>;

export const refuseUnknown: Authenticate = async () => err(unknownKey);

const lacking = (scope: Demand): Refusal => ({
  reason: "forbidden",
  action:
    scope === "role"
      ? `this API key has no role. Add one of these scopes: ${roles.join(", ")} (or tenant-admin)`
      : `this API key lacks the scope "${scope}"`,
});

const notForThisEntry =
  "This access token was granted for an earlier entry of this server. Authorize the client again.";
const notByToken = "This server doesn't accept access tokens. Send an API key.";
const notByKey = "This server doesn't accept API keys. Authorize the client with OAuth.";

function barredBy(
  { sessionId, scope, through, tenant: named }: Claim,
  {
    snapshot: { tenant, key },
    session,
    server,
    rights,
  }: Remembered & { rights: TokenRights | null },
): Refusal | null {
  if (through !== undefined && (through.tenant !== tenant.slug || server === null))
    return noSuchServer;
  // The entry was deleted and created again under its slug.
  if (server !== null && rights !== null && rights.grantedAt + clockSlackMs < server.createdAt)
    return { reason: "unauthorized", detail: notForThisEntry };
  const refusedMode = rights === null ? "oauth" : "keys";
  if (server?.auth === refusedMode)
    return { reason: "unauthorized", detail: rights === null ? notByKey : notByToken };
  // Administrators must be able to lift a kill switch.
  const stopped =
    scope === "role" ? null : stoppedBy({ tenant, keyId: key.id, server: through?.server ?? null });
  if (stopped !== null) return stopped;
  if (sessionId !== null && session === null) return { reason: "session_not_found" };
  // Another tenant is indistinguishable from a missing one.
  return named !== undefined && named !== tenant.slug
    ? { reason: "not_found", what: "no such tenant" }
    : null;
}

const lackingToken = (scope: Demand): Refusal => ({
  reason: "forbidden",
  action: `this access token lacks the scope "${scope}"`,
  scope,
});

interface AuthenticateDeps {
  snapshots: Snapshots;
  tokens: KeyTokens;
  accessTokens: AccessTokens;
  keyCodes: Pick<KeyCodes, "isKnown">;
  memory: CallerMemory;
  /** rate-limits lookups of possibly invented keys */
  lookups: LookupPacer;
  now: () => number;
}

export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const { snapshots, tokens, keyCodes, memory, lookups, now } = deps;
  /** `ownToken` is `null` if the caller sent an access token, which is already verified. */
  const load = async (
    { sessionId, through }: Claim,
    { keyId, ownToken }: { keyId: string; ownToken: string | null },
  ) => {
    const lookUp = () => snapshots.load(keyId, sessionId, now(), through?.server);
    if (ownToken === null) return lookUp();
    const memoryKey = memoryKeyOf(keyId, { through, sessionId });
    const { kind } = await keyStatusOf(deps, { token: ownToken, memoryKey });
    return kind === "unverified" ? lookups.pace(lookUp) : lookUp();
  };
  return async (claim, freshness) => {
    const { token, scope } = claim;
    if (token === null) return unauthorized("Send Authorization: Bearer <API key>.");
    const opened = await shownKey(deps, token, claim);
    if (!opened.ok) return opened;
    const { keyId, grantId, rights } = opened.value;
    if (memory.isUnknown(keyId)) return err(unknownKey);
    const memoryKey = memoryKeyOf(keyId, claim);
    const remembered =
      freshness === "database" ? undefined : memory.get(memoryKey, withinMs[freshness]);
    const found =
      remembered === undefined
        ? await load(claim, { keyId, ownToken: rights === null ? token : null })
        : ok(remembered);
    if (!found.ok) return found;
    const { snapshot, session, server } = found.value;
    const known =
      snapshot !== null &&
      (rights === null
        ? await tokens.matches(token, snapshot.key.secretHash)
        : rights.holder.tenantId === snapshot.tenant.id) &&
      // A cached key was verified when it was read.
      (remembered !== undefined || (await keyCodes.isKnown(snapshot.key)));
    if (snapshot === null) memory.noteUnknown(keyId);
    if (!known) {
      memory.delete(memoryKey);
      // The key may have been rotated since the snapshot.
      if (remembered !== undefined) return createAuthenticate(deps)(claim, "database");
      return err(unknownKey);
    }
    if (snapshot.key.revokedAt !== null) {
      memory.delete(memoryKey);
      return unauthorized("This API key is revoked.");
    }
    if (isExpired(snapshot.key, now())) return unauthorized("This API key has expired.");
    if (!opens(snapshot.key.scopes, scope)) return err(lacking(scope));
    if (rights !== null && !rights.scopes.includes(scope)) return err(lackingToken(scope));
    const barred = barredBy(claim, { snapshot, session, server, rights });
    if (barred !== null) {
      memory.delete(memoryKey);
      return err(barred);
    }
    // The cache may be newer than the value read above.
    if (remembered === undefined) memory.set(memoryKey, { snapshot, session, server });
    else memory.use(memoryKey);
    const { userId } = snapshot.key;
    // Only tokens name groups.
    const user = userId ? { ...rights?.user, id: userId } : (rights?.user ?? null);
    // A grant made by showing a key belongs to that key.
    const by = rights?.user ? signedIn : shownSecret(snapshot.key);
    return ok({
      snapshot,
      session,
      server,
      warm: remembered !== undefined,
      memoryKey,
      ...(user !== null && { user, account: { userId: user.id, shown: by } }),
      ...(grantId !== null && { grantId }),
    });
  };
}
