import type { AdminEvent } from "../admin-event.ts";
import type { Expendable } from "../choice/policy.ts";
import type { RoomLevel } from "../limits/room.ts";
import type { AsyncResult } from "../refusals.ts";

export interface NotedRoom {
  level: RoomLevel;
  earlyDeletion: readonly Expendable[];
}

export interface RoomStore {
  noted(): AsyncResult<NotedRoom>;
  /** Compare-and-swap, with the event. */
  note(levels: { from: RoomLevel; to: RoomLevel }, event: AdminEvent): AsyncResult<null>;
  /** Returns the number of deleted rows. Records get a signed notice. */
  deleteOldest(kind: Exclude<Expendable, "records">): AsyncResult<number>;
  append(event: AdminEvent): AsyncResult<null>;
}
