/**
 * Refusals by a rate limit cost their caller nothing, so a caller could fill the database with records of
 * them. The first hundred a minute of a key are recorded one by one. The further ones are counted, and the
 * minute's count becomes one record.
 */
import type { Opening, SamplingRecord } from "./record.ts";
import { createIds } from "../tenancy/ids.ts";
import { isObject } from "../json.ts";

/** Refusals by a rate limit that are recorded one by one: of one key in one minute of the clock. */
export const recordedRefusals = 100;

export const minuteSeconds = 60;

/** The minute (s since the epoch) in which a moment (ms since the epoch) lies. */
export const minuteOf = (now: number): number =>
  Math.floor(now / 1_000 / minuteSeconds) * minuteSeconds;

/** The refusals of one key in one minute that have no record of their own. */
export interface ThinnedMinute {
  tenantId: string;
  keyId: string;
  /** s since the epoch */
  minute: number;
  requests: number;
}

/** What the one record of such a minute says. Times in ms since the epoch; `until` is exclusive. */
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

/** null: the record stands for one request. */
export function thinnedIn({
  outcome,
  reason,
  reasonDetail,
}: Pick<SamplingRecord, "outcome" | "reason" | "reasonDetail">): Thinned | null {
  // In all other records `reasonDetail` is the name of a limit.
  if (outcome !== "refused" || reason !== "rate_limited" || reasonDetail?.startsWith("{") !== true)
    return null;
  const detail: unknown = JSON.parse(reasonDetail);
  if (!isObject(detail)) return null;
  const { requests, from, until } = detail;
  return typeof requests === "number" && typeof from === "number" && typeof until === "number"
    ? { requests, from, until }
    : null;
}

/** The text that the one record's id is made from. It is the same whoever writes the record, and however often. */
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
