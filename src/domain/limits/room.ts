/**
 * How full a database of one tenant is, where its size is bounded: a Durable Object has 10 GB. The operator hears of
 * each level once. Room is made before a database is full, since a full one can neither settle a call nor delete a row.
 */

export interface Room {
  usedBytes: number;
  limitBytes: number;
}

/** What a Durable Object holds. https://developers.cloudflare.com/durable-objects/platform/limits/ */
export const defaultLimitBytes = 10_000_000_000;

/** `filling`: the operator hears of it. `tight`: retention runs early. `full`: new calls are refused. */
export const roomLevels = ["enough", "filling", "tight", "full"] as const;
export type RoomLevel = (typeof roomLevels)[number];

const beginsAtPercent: Readonly<Record<RoomLevel, number>> = {
  enough: 0,
  filling: 70,
  tight: 85,
  full: 95,
};
/** Points by which use falls below where a level begins before the level is left: use goes up and down around it. */
const slackPercent = 2;

const percentOf = ({ usedBytes, limitBytes }: Room): number => (usedBytes / limitBytes) * 100;

const levelAt = (percent: number): RoomLevel =>
  roomLevels.findLast((level) => percent >= beginsAtPercent[level]) ?? "enough";

export const roomLevel = (room: Room): RoomLevel => levelAt(percentOf(room));

/** More than a call, its captured content and its kept result take. */
const mostBytesOfCall = 8_000_000;
const mostUnseenCalls = 256;

/** How many calls surely fit before the level is `full`. To reckon that costs less than to ask a database for its size. */
export function callsThatFit({ usedBytes, limitBytes }: Room): number {
  const leftBytes = (limitBytes * beginsAtPercent.full) / 100 - usedBytes;
  return Math.max(0, Math.min(mostUnseenCalls, Math.floor(leftBytes / mostBytesOfCall)));
}

/** @param before the level that was noted last */
export function nextRoomLevel(before: RoomLevel, room: Room): RoomLevel {
  const [now, later] = [levelAt(percentOf(room)), levelAt(percentOf(room) + slackPercent)];
  const place = (level: RoomLevel): number => roomLevels.indexOf(level);
  if (place(now) >= place(before)) return now;
  return place(later) >= place(before) ? before : later;
}

export const isTight = (room: Room): boolean => percentOf(room) >= beginsAtPercent.tight;

/** ms: the object's next alarm, which makes room, comes a minute later at most. */
export const roomAfterMs = 60_000;
