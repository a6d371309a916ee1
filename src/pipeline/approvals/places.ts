/** Under which limits of concurrency a held call takes a place when a person approves it. */
import { holdsOf, type Hold } from "../../domain/limits/holds.ts";
import type { HeldCall } from "../../domain/ports/approvals.ts";
import type { Snapshots } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { Caller } from "../authenticate.ts";
import { scopesOf } from "../scopes.ts";
import type { ReadContent } from "./contents.ts";
import type { KeptRequest } from "./hold.ts";

/** Who asks, as the database has it now; null: the key was revoked, or the server is gone. */
export type HeldCallerOf = (
  held: HeldCall,
  of: { slug: string | null; now: number },
) => AsyncResult<Caller | null>;

export const createHeldCallerOf =
  ({ snapshots }: { snapshots: Snapshots }): HeldCallerOf =>
  async ({ approval, serverId }, { slug, now }) => {
    const found = await snapshots.load(approval.keyId, null, now, slug ?? undefined);
    if (!found.ok) return found;
    const { snapshot, server } = found.value;
    const isThere =
      snapshot !== null &&
      snapshot.key.revokedAt === null &&
      (serverId === null || server !== null);
    return ok(isThere ? { snapshot, server, session: null, warm: false, memoryKey: "" } : null);
  };

export type PlacesOf = (held: HeldCall) => AsyncResult<Hold[]>;

/** A call without a caller takes none: it is refused when somebody comes for it. */
export const createPlacesOf =
  (deps: { callerOf: HeldCallerOf; read: ReadContent; now: () => number }): PlacesOf =>
  async (held) => {
    const { callerOf, read, now } = deps;
    const { tenantId, requestId } = held.approval;
    const kept = await read<KeptRequest>({ tenantId, requestId }, "request");
    if (!kept.ok) return kept;
    if (kept.value === null) return ok([]);
    const found = await callerOf(held, { slug: kept.value.shown.server, now: now() });
    if (!found.ok) return found;
    if (found.value === null) return ok([]);
    const { snapshot, server } = found.value;
    const at = now();
    const scopes = scopesOf(snapshot, { server, now: at });
    const holds = holdsOf({ now: at, scopes, tokens: 0, microUsd: 0 });
    return ok(holds.filter(({ resource }) => resource === "concurrent"));
  };
