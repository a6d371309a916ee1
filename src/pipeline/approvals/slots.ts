import { limitChecksOf, type LimitCheck } from "../../domain/limits/limit-checks.ts";
import type { HeldCall } from "../../domain/ports/approvals.ts";
import type { Snapshots } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { User } from "../../domain/tenancy/user.ts";
import type { Caller } from "../callers/authenticate.ts";
import { groupOfSubject, scopesOf } from "../callers/scopes.ts";
import type { ReadContent } from "./contents.ts";
import type { KeptRequest, ShownRequest } from "./hold-request.ts";

/** The current caller; `null` if the key was revoked or the server deleted. */
export type HeldCallerOf = (
  held: HeldCall,
  of: { shown: Pick<ShownRequest, "who" | "server">; now: number },
) => AsyncResult<Caller | null>;

/** Only the token names groups, so they are taken from the call's limit checks. */
const userOf = ({ limitChecks }: HeldCall, { who }: Pick<ShownRequest, "who">): User | null =>
  who.user === undefined
    ? null
    : { id: who.user, groups: limitChecks.flatMap(({ subject }) => groupOfSubject(subject) ?? []) };

export const createHeldCallerOf =
  ({ snapshots }: { snapshots: Pick<Snapshots, "load"> }): HeldCallerOf =>
  async (held, { shown, now }) => {
    const { approval, serverId } = held;
    const found = await snapshots.load(approval.keyId, null, now, shown.server ?? undefined);
    if (!found.ok) return found;
    const { snapshot, server } = found.value;
    const isThere =
      snapshot !== null &&
      snapshot.key.revokedAt === null &&
      (serverId === null || server !== null);
    if (!isThere) return ok(null);
    const user = userOf(held, shown);
    return ok({
      snapshot,
      server,
      session: null,
      warm: false,
      memoryKey: "",
      ...(user !== null && { user }),
    });
  };

export type SlotsOf = (held: HeldCall) => AsyncResult<LimitCheck[]>;

/** A call without a caller is refused when resumed, so it occupies no slot. */
export const createSlotsOf =
  (deps: { callerOf: HeldCallerOf; read: ReadContent; now: () => number }): SlotsOf =>
  async (held) => {
    const { callerOf, read, now } = deps;
    const { tenantId, requestId } = held.approval;
    const kept = await read<KeptRequest>({ tenantId, requestId }, "request");
    if (!kept.ok) return kept;
    if (kept.value === null) return ok([]);
    const found = await callerOf(held, { shown: kept.value.shown, now: now() });
    if (!found.ok) return found;
    if (found.value === null) return ok([]);
    const { snapshot, server } = found.value;
    const at = now();
    const scopes = scopesOf(snapshot, { server, now: at });
    const limitChecks = limitChecksOf({ now: at, scopes, tokens: 0, microUsd: 0 });
    return ok(limitChecks.filter(({ resource }) => resource === "concurrent"));
  };
