import type { AdminEvent } from "../admin-event.ts";
import type { RoomLevel } from "../limits/room.ts";
import type { AsyncResult } from "../refusals.ts";

/** What early retention deletes, in this order. */
export const expendable = ["contents", "results", "records"] as const;
export type Expendable = (typeof expendable)[number];

export interface RoomStore {
  /** The level that was noted last. */
  noted(): AsyncResult<RoomLevel>;
  /** Notes a level, with the event that tells of it, unless somebody else has noted one since. */
  note(levels: { from: RoomLevel; to: RoomLevel }, event: AdminEvent): AsyncResult<null>;
  /** Deletes some of the oldest rows of a kind; how many. A record without a seal is never deleted. */
  deleteOldest(kind: Expendable): AsyncResult<number>;
  append(event: AdminEvent): AsyncResult<null>;
}
