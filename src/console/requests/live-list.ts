/** A list of records with what was heard of them since. Pure, so that tests can hold it. */
import type { RequestRecord } from "./record.ts";

/** As many as may be heard before the list is read anew. */
export const mostHeard = 500;

/** What is known of each, by id; what ended has ended, whatever comes later. */
export function heardWith(
  heard: ReadonlyMap<string, RequestRecord>,
  records: readonly RequestRecord[],
): Map<string, RequestRecord> {
  const all = new Map(heard);
  for (const record of records) {
    const known = all.get(record.id);
    if (known === undefined || known.outcome === "admitted") all.set(record.id, record);
  }
  return new Map([...all].slice(-mostHeard));
}

/**
 * A filter's value as the API takes it. A day is one of the reader's zone: it begins `from`, and ends `to`.
 * @returns a day as ms since the epoch; everything else as it is
 */
export function momentIn(filter: string, value: string): string {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  if (day === undefined || (filter !== "from" && filter !== "to")) return value;
  // The day after the last of a month is the first of the next; one with a change of clocks is as long as it is.
  const end = Number(day) + (filter === "to" ? 1 : 0);
  return String(new Date(Number(year), Number(month) - 1, end).getTime());
}

const momentOf = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Date.parse(text));

/** What a filter leaves in, as the API filters. The list of filters is made of this, so that none is forgotten here. */
const matchers: Readonly<Record<string, (record: RequestRecord, wanted: string) => boolean>> = {
  outcome: ({ outcome }, wanted) => outcome === wanted,
  model: ({ model }, wanted) => model === wanted,
  key: ({ who }, wanted) => who.keyId === wanted,
  user: ({ who }, wanted) => who.user === wanted,
  server: ({ who }, wanted) => who.serverId === wanted,
  session: ({ who }, wanted) => who.sessionId === wanted,
  from: ({ createdAt }, wanted) => createdAt >= momentOf(wanted),
  to: ({ createdAt }, wanted) => createdAt < momentOf(wanted),
};
export const filters: readonly string[] = Object.keys(matchers);

const matches = (record: RequestRecord, query: Readonly<Record<string, string>>): boolean =>
  Object.entries(matchers).every(
    ([name, isLeftIn]) => !query[name] || isLeftIn(record, query[name]),
  );

/** The keys, servers and people of records. */
export const idsIn = (records: readonly RequestRecord[]): string[] => [
  ...new Set(
    records.flatMap(({ who: { keyId, serverId, user } }) =>
      [keyId, serverId, user].filter((id) => id !== null && id !== undefined),
    ),
  ),
];

interface ListOptions {
  query: Readonly<Record<string, string>>;
  /** how many rows the list has at most */
  most: number;
  /** where the list goes on; null: it has an end here */
  nextCursor: string | null;
}

/** The newest first, as the API lists them. A cursor is the id of the last row. */
export function withHeard(
  listed: readonly RequestRecord[],
  heard: ReadonlyMap<string, RequestRecord>,
  { query, most, nextCursor }: ListOptions,
): { rows: RequestRecord[]; nextCursor: string | null } {
  const known = new Map(listed.map((record) => [record.id, record]));
  const all = [...heardWith(known, [...heard.values()]).values()]
    .filter((record) => matches(record, query))
    .toSorted((one, other) => (one.id < other.id ? 1 : -1));
  const rows = all.slice(0, most);
  return { rows, nextCursor: rows.length < all.length ? (rows.at(-1)?.id ?? null) : nextCursor };
}
