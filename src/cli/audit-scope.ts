/** What an export covers, in words, since the verdict reaches no further. */
import { tamperingMessage } from "../domain/audit/tampering-messages.ts";
import type { Verified } from "../domain/audit/verification.ts";

/** Unverified text must not control the terminal. */
const shown = (value: string): string =>
  /^[\w.:/@-]{1,200}$/.test(value) ? value : JSON.stringify(value.slice(0, 200));

/** The latest time of a `Date`. */
const latestMs = 8.64e15;
const timeOf = (ms: number): string =>
  Math.abs(ms) <= latestMs ? new Date(ms).toISOString() : `${ms} ms`;

const range = (first: string, last: string): string =>
  first === last ? first : `${first} to ${last}`;

/** Findings in chain order, then erased records. */
export const describeTampering = ({ tampered, erased }: Verified): string[] => [
  ...tampered.map(
    ({ seal, tampering }) => `Seal ${seal}: tampered: ${tamperingMessage(tampering, shown)}`,
  ),
  ...erased.map(
    ({ seal, position }) =>
      `Seal ${seal}: tampered: the record at position ${position} was erased without a signed notice`,
  ),
];

export function describeScope({ scope, sealNumbers }: Verified): string[] {
  const seals =
    sealNumbers === null ? "none" : range(String(sealNumbers.first), String(sealNumbers.last));
  if (scope === null) return ["Tenant: unknown; no header is readable", `Seals: ${seals}`];
  const { tenant, exportedAt } = scope;
  const filter = Object.entries(scope.filter).map(
    ([name, value]) =>
      `${name}=${typeof value === "number" ? timeOf(value) : shown(String(value))}`,
  );
  return [
    `Tenant: ${shown(tenant.slug)} (${shown(tenant.id)})`,
    `Filter: ${filter.length === 0 ? "none" : filter.join(", ")}`,
    `Exported: ${range(timeOf(exportedAt.first), timeOf(exportedAt.last))}`,
    `Seals: ${seals}`,
  ];
}
