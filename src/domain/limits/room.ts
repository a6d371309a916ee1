/** Space is freed early, because a full database can neither settle calls nor delete rows. */

export interface Room {
  usedBytes: number;
  limitBytes: number;
}

/** A Durable Object's size. https://developers.cloudflare.com/durable-objects/platform/limits/ */
export const defaultLimitBytes = 10_000_000_000;

/** `filling`: reported to the operator. `tight`: early retention. `full`: new calls are refused. */
export const roomLevels = ["enough", "filling", "tight", "full"] as const;
export type RoomLevel = (typeof roomLevels)[number];

const beginsAtPercent: Readonly<Record<RoomLevel, number>> = {
  enough: 0,
  filling: 70,
  tight: 85,
  full: 95,
};
const slackPercent = 2;

const percentOf = ({ usedBytes, limitBytes }: Room): number => (usedBytes / limitBytes) * 100;

const levelAt = (percent: number): RoomLevel =>
  roomLevels.findLast((level) => percent >= beginsAtPercent[level]) ?? "enough";

export const roomLevel = (room: Room): RoomLevel => levelAt(percentOf(room));

/** Upper bound of a call with its captured content and stored result. */
const maxBytesPerCall = 8_000_000;
const maxUnseenCalls = 256;

/** How many calls fit before `full`; cheaper than querying the database size. */
export function callsThatFit({ usedBytes, limitBytes }: Room): number {
  const leftBytes = (limitBytes * beginsAtPercent.full) / 100 - usedBytes;
  return Math.max(0, Math.min(maxUnseenCalls, Math.floor(leftBytes / maxBytesPerCall)));
}

export function nextRoomLevel(before: RoomLevel, room: Room): RoomLevel {
  const [now, later] = [levelAt(percentOf(room)), levelAt(percentOf(room) + slackPercent)];
  const place = (level: RoomLevel): number => roomLevels.indexOf(level);
  if (place(now) >= place(before)) return now;
  return place(later) >= place(before) ? before : later;
}

export const isTight = (room: Room): boolean => percentOf(room) >= beginsAtPercent.tight;

export const roomAfterMs = 60_000;
