import type { AdminEvent } from "../admin-event.ts";
import type { Expendable } from "../choice/policy.ts";
import type { RoomLevel } from "../limits/room.ts";
import type { AsyncResult } from "../refusals.ts";

/** What the database of one tenant says of its room. */
export interface NotedRoom {
  /** the level that was noted last */
  level: RoomLevel;
  /** what the tenant's policy deletes early, in its order */
  earlyDeletion: readonly Expendable[];
}

export interface RoomStore {
  noted(): AsyncResult<NotedRoom>;
  /** Notes a level, with the event that tells of it, unless somebody else has noted one since. */
  note(levels: { from: RoomLevel; to: RoomLevel }, event: AdminEvent): AsyncResult<null>;
  /** Deletes some of the oldest rows of a kind; how many. Records are deleted with a signed notice. */
  deleteOldest(kind: Exclude<Expendable, "records">): AsyncResult<number>;
  append(event: AdminEvent): AsyncResult<null>;
}
