/** A list of records with its filters and live changes. Pure, for tests. */
import type { RequestRecord } from "./record.ts";

type Query = Readonly<Record<string, string>>;

/** Beyond this, the oldest are forgotten. */
const maxNotices = 500;

/** Later states of ended records are ignored. */
export function mergedWith(
  liveRecords: ReadonlyMap<string, RequestRecord>,
  records: readonly RequestRecord[],
): Map<string, RequestRecord> {
  const all = new Map(liveRecords);
  for (const record of records) {
    const known = all.get(record.id);
    if (known === undefined || known.outcome === "admitted") all.set(record.id, record);
  }
  return new Map([...all].slice(-maxNotices));
}

/** Days are in the reader's zone, as ms since the epoch. */
export function momentIn(filter: string, value: string): string {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  if (day === undefined || (filter !== "from" && filter !== "to")) return value;
  // Normalizes ends of months and clock changes.
  const end = Number(day) + (filter === "to" ? 1 : 0);
  return String(new Date(Number(year), Number(month) - 1, end).getTime());
}

const momentOf = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Date.parse(text));

/** Mirrors the API's filters. */
const matchers: Readonly<Record<string, (record: RequestRecord, wanted: string) => boolean>> = {
  id: ({ id }, wanted) => id.endsWith(wanted),
  outcome: ({ outcome }, wanted) => outcome === wanted,
  held: ({ outcome, held = false }, wanted) => outcome === "admitted" && String(held) === wanted,
  model: ({ model }, wanted) => model === wanted,
  key: ({ who }, wanted) => who.keyId === wanted,
  user: ({ who }, wanted) => who.user === wanted,
  server: ({ who }, wanted) => who.serverId === wanted,
  session: ({ who }, wanted) => who.sessionId === wanted,
  from: ({ createdAt }, wanted) => createdAt >= momentOf(wanted),
  to: ({ createdAt }, wanted) => createdAt < momentOf(wanted),
};
export const filters: readonly string[] = Object.keys(matchers);

/** Of the page's address for the API. Omits empty values. */
export const askedFor = (query: Query): Record<string, string> =>
  Object.fromEntries(
    [...filters, "cursor", "limit"]
      .map((name) => [name, momentIn(name, query[name] ?? "")] as const)
      .filter(([, value]) => value !== ""),
  );

type ListOptions = { query: Query; max: number; nextCursor: string | null };

export function withLive(
  listed: readonly RequestRecord[],
  liveRecords: ReadonlyMap<string, RequestRecord>,
  { query, max, nextCursor }: ListOptions,
): { rows: RequestRecord[]; nextCursor: string | null } {
  const known = new Map(listed.map((record) => [record.id, record]));
  const all = [...mergedWith(known, [...liveRecords.values()]).values()]
    .filter((record) =>
      Object.entries(matchers).every(([name, fits]) => !query[name] || fits(record, query[name])),
    )
    .toSorted((one, other) => (one.id < other.id ? 1 : -1));
  const rows = all.slice(0, max);
  return { rows, nextCursor: rows.length < all.length ? (rows.at(-1)?.id ?? null) : nextCursor };
}
