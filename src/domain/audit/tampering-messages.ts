import type { Tampering } from "./seal-check.ts";

const range = (first: number, last: number): string =>
  first === last ? String(first) : `${first} to ${last}`;

/** @param shown sanitizes a record id, which in an unverified file may be anything */
export function tamperingMessage(tampering: Tampering, shown: (id: string) => string): string {
  switch (tampering.what) {
    case "code":
      return `${shown(tampering.id)} has a changed ${tampering.code}: its code does not match`;
    case "second":
      return `${shown(tampering.id)} has a number that was already sealed, or never assigned`;
    case "missing": {
      const { first, last, count } = tampering;
      return count === 1
        ? `record number ${first} is missing`
        : `${count} records are missing, numbers ${range(first, last)}`;
    }
    case "seals":
      return `the seals ${range(tampering.first, tampering.last)} were removed`;
    case "head":
      return `seal ${tampering.number} was not made by the router`;
    case "counter":
      return `the counter of records was set back to ${tampering.last}`;
  }
}

/** Of an event's detail: what a seal's check found, a signing key, or nothing for a changed row. */
export function tamperingTexts({
  tampered,
  found,
  id,
}: Readonly<Record<string, unknown>>): string[] {
  if (typeof id === "string") return [`signing key ${id} was not made by the router`];
  if (!Array.isArray(tampered)) return ["The row was changed outside the router."];
  const more = Number(found) - tampered.length;
  return [
    ...(tampered as Tampering[]).map((each) => tamperingMessage(each, (record) => record)),
    ...(more > 0 ? [`${more} more`] : []),
  ];
}
