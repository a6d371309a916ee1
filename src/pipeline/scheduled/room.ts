/**
 * Deletes early, oldest first, what retention would delete later. Unsealed records stay, since the audit has no
 * other copy.
 */
import type { AdminEvent } from "../../domain/admin-event.ts";
import type { JsonObject } from "../../domain/json.ts";
import { isTight, nextRoomLevel, type Room } from "../../domain/limits/room.ts";
import type { Expendable } from "../../domain/choice/policy.ts";
import type { RoomStore } from "../../domain/ports/room.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import { deleteOldestRecords, type DeletionDeps } from "./audit/deletions.ts";

/** The object answers calls between them. */
const deletionsPerRound = 20;

export interface RoomDeps extends DeletionDeps {
  roomNow: (() => AsyncResult<Room>) | null;
  room: RoomStore;
  ids: Ids;
}

const eventOf = ({ ids, now }: RoomDeps, action: string, detail: JsonObject): AdminEvent => ({
  id: ids.next("event"),
  at: now(),
  actor: "router",
  action,
  // The database itself names its tenant.
  tenantId: null,
  target: "",
  detail,
});

async function makeRoom(
  deps: RoomDeps,
  {
    roomNow,
    earlyDeletion,
  }: { roomNow: () => AsyncResult<Room>; earlyDeletion: readonly Expendable[] },
): AsyncResult<Record<string, number>> {
  const deleted: Record<string, number> = {};
  let left = deletionsPerRound;
  for (const kind of earlyDeletion)
    while (left > 0) {
      const seen = await roomNow();
      if (!seen.ok) return seen;
      if (!isTight(seen.value)) return ok(deleted);
      left -= 1;
      const gone = await (kind === "records"
        ? deleteOldestRecords(deps)
        : deps.room.deleteOldest(kind));
      if (!gone.ok) return gone;
      if (gone.value === 0) break;
      deleted[kind] = (deleted[kind] ?? 0) + gone.value;
    }
  return ok(deleted);
}

export const createRoomJob = (deps: RoomDeps) => async (): AsyncResult<number> => {
  const { roomNow, room } = deps;
  if (roomNow === null) return ok(0);
  const found = await room.noted();
  if (!found.ok) return found;
  const seen = await roomNow();
  if (!seen.ok) return seen;
  const { level: from, earlyDeletion } = found.value;
  const to = nextRoomLevel(from, seen.value);
  if (to !== from) {
    const detail = { from, ...seen.value };
    const noted = await room.note({ from, to }, eventOf(deps, `storage.${to}`, detail));
    if (!noted.ok) return noted;
  }
  const made = await makeRoom(deps, { roomNow, earlyDeletion });
  if (!made.ok) return made;
  const count = Object.values(made.value).reduce((sum, each) => sum + each, 0);
  if (count > 0) {
    const appended = await room.append(eventOf(deps, "storage.deleted", { ...made.value }));
    if (!appended.ok) return appended;
  }
  return ok(count + (to === from ? 0 : 1));
};
