/** Filters of a list of requests: members of the page's address, and of the API's query. Pure, for tests. */
const equal = ["model", "key", "user", "server", "session"] as const;
export const filters = ["id", "outcome", "held", ...equal, "from", "to"] as const;

/** Days are in the reader's zone, as ms since the epoch. */
export function momentIn(filter: string, value: string): string {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  if (day === undefined || (filter !== "from" && filter !== "to")) return value;
  // Normalizes ends of months and clock changes.
  const end = Number(day) + (filter === "to" ? 1 : 0);
  return String(new Date(Number(year), Number(month) - 1, end).getTime());
}

/** Of the page's address for the API. Omits empty values. */
export const askedFor = (
  query: Readonly<Record<string, string>>,
  names: readonly string[] = [...filters, "cursor", "limit"],
): Record<string, string> =>
  Object.fromEntries(
    names
      .map((name) => [name, momentIn(name, query[name] ?? "")] as const)
      .filter(([, value]) => value !== ""),
  );
