/** Findings of an export's verification as text and exit code. */
import { counted } from "../domain/counted.ts";
import type { HeadVerdict } from "../domain/audit/verification-head.ts";
import type { Verified } from "../domain/audit/verification.ts";

export interface Findings {
  /** contradictions of the chain, the key, or the request */
  wrong: number;
  /** the router itself found tampering or erased records */
  isTampered: boolean;
  /** checked by keys known to be the router's */
  isPinned: boolean;
  /** the files end before the given head */
  isHeadUnchecked: boolean;
}

export function describeCounts(total: Verified): string {
  const { records, seals, gone, erased, outside, unreadable, replaced } = total;
  const more = [
    ...(gone > 0 ? [`${gone} deleted or corrected since; their hashes are included`] : []),
    ...(erased.length > 0 ? [`${erased.length} erased without a signed notice`] : []),
    ...(unreadable > 0 ? [`${unreadable} could not be read by the router`] : []),
    ...(outside > 0 ? [`${outside} excluded by the filter`] : []),
    ...(replaced > 0 ? [`${replaced} sealed again after a correction or a late end`] : []),
  ];
  return `${counted(records, "record")}, ${counted(seals, "seal")}${more.map((each) => `; ${each}`).join("")}.`;
}

export function describeHead(head: HeadVerdict): string[] {
  switch (head.state) {
    case "unasked":
      return [];
    case "sound":
      return [`The chain goes through the head, seal ${head.number}.`];
    case "wrong":
    case "unchecked":
      return [head.why];
  }
}

function verdictOf({ wrong, isPinned, isHeadUnchecked }: Findings): string {
  if (wrong > 0) return "NOT unchanged since the router wrote it.";
  if (isHeadUnchecked) return "Can't tell: the head's seal is not in these files.";
  return isPinned ? "Unchanged since the router wrote it." : "Nothing contradicts itself.";
}

const next =
  "Start with the first line above: one change can cause the others. A new export shows what the router has.";

export const describeVerdict = (findings: Findings): string[] => [
  verdictOf(findings),
  ...(findings.wrong > 0 ? [next] : []),
  ...(findings.isTampered ? ["The router's database was tampered with."] : []),
  ...(findings.isPinned
    ? []
    : [
        "key not pinned: compare with /.well-known/sampling-router/audit-keys.json, by --key <file>.",
      ]),
];

/** Codes are documented in docs/audit.md. */
export function exitCodeOf({ wrong, isTampered, isPinned, isHeadUnchecked }: Findings): number {
  if (wrong > 0) return 1;
  if (isHeadUnchecked) return 2;
  if (!isPinned) return 3;
  return isTampered ? 4 : 0;
}
