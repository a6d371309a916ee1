/**
 * Refusals are free, so a caller could flood the database: after a hundred per key and minute, one record
 * counts the rest.
 */
import type { Opening, SamplingRecord } from "./record.ts";
import { createIds } from "../tenancy/ids.ts";
import { isObject } from "../json.ts";

export const recordedRefusals = 100;

export const minuteSeconds = 60;

/** @param now ms since the epoch @returns s since the epoch */
export const minuteOf = (now: number): number =>
  Math.floor(now / 1_000 / minuteSeconds) * minuteSeconds;

export interface ThinnedMinute {
  tenantId: string;
  keyId: string;
  minute: number;
  requests: number;
}

export interface Thinned {
  requests: number;
  from: number;
  until: number;
}

export const thinnedDetail = ({ minute, requests }: ThinnedMinute): string =>
  JSON.stringify({
    requests,
    from: minute * 1_000,
    until: (minute + minuteSeconds) * 1_000,
  } satisfies Thinned);

/** null: the record represents one request. */
export function thinnedIn({
  outcome,
  reason,
  reasonDetail,
}: Pick<SamplingRecord, "outcome" | "reason" | "reasonDetail">): Thinned | null {
  // Other refusals have the name of a limit in `reasonDetail`.
  if (outcome !== "refused" || reason !== "rate_limited" || reasonDetail?.startsWith("{") !== true)
    return null;
  const detail: unknown = JSON.parse(reasonDetail);
  if (!isObject(detail)) return null;
  const { requests, from, until } = detail;
  return typeof requests === "number" && typeof from === "number" && typeof until === "number"
    ? { requests, from, until }
    : null;
}

/** The text that the record's id is derived from; independent of the writer. */
export const thinnedName = ({ tenantId, keyId, minute }: ThinnedMinute): string =>
  `sampling-router/thinned/v1 ${tenantId} ${keyId} ${minute}`;

/** @param digest hex SHA-256 of `thinnedName` */
export function thinnedOpening(
  { tenantId, keyId, minute }: ThinnedMinute,
  digest: string,
): Opening {
  const createdAt = (minute + minuteSeconds) * 1_000 - 1;
  const byteAt = (at: number): number => Number.parseInt(digest.slice(2 * at, 2 * at + 2), 16);
  const ids = createIds({
    now: () => createdAt,
    randomBytesOf: (count) => Uint8Array.from({ length: count }, (_, at) => byteAt(at)),
  });
  return {
    id: ids.next("request"),
    who: {
      tenantId,
      keyId,
      sessionId: null,
      serverId: null,
      tool: null,
      clientName: null,
      clientVersion: null,
      revision: null,
    },
    createdAt,
    asked: null,
    contentSha256: digest,
  };
}
