/**
 * Canonical JSON: a header, a section per seal, a footer. Each signed line has the header's hash, so it is
 * valid in one export only.
 */
import type { DeletionNotice } from "./deletion-notices.ts";
import type { SamplingRecord } from "./record.ts";
import type { RequestFilter } from "./record.ts";
import type { AuditKey, Checked, ChainPosition, Seal, SealedRecord } from "./seals.ts";

export interface HeaderLine {
  kind: "header";
  version: 1;
  tenant: { id: string; slug: string };
  filter: RequestFilter;
  /** number of the seal that precedes this part; 0: none */
  after: number;
  /** number of the newest seal when the export started; all parts end there */
  through: number;
  /** whether the export has every seal in its range, regardless of the filter */
  whole: boolean;
  exportedAt: number;
  keys: AuditKey[];
  keyId: string;
  signature: string;
}

export const outside = "outside";
export const gone = "gone";
export const unreadable = "unreadable";

export interface SectionLine {
  kind: "section";
  export: string;
  index: number;
  seal: Seal;
  /** absent: lost by the database, which fails verification */
  checked?: Checked;
  leaves: string;
  /** for each leaf the id of its record, or `outside`, `gone`, `unreadable` */
  records: string[];
  deletions?: DeletionNotice[];
  signature: string;
}

export interface RecordLine extends ChainPosition {
  kind: "record";
  record: SealedRecord;
}

export interface FooterLine {
  kind: "footer";
  export: string;
  tenantId: string;
  filter: RequestFilter;
  sections: number;
  count: number;
  root: string;
  last: string | null;
  nextCursor: string | null;
  /** finished records that are not sealed yet */
  waiting: number;
  /** finished records that can't be read, and so can't be sealed */
  unreadable?: number;
  signature: string;
}

export type ExportLine = HeaderLine | SectionLine | RecordLine | FooterLine;

export interface ExportCursor {
  after: number;
  through: number;
}

export const cursorText = ({ after, through }: ExportCursor): string => `${after}-${through}`;

export function parseCursor(text: string): ExportCursor {
  const [after = "0", through = "0"] = text.split("-");
  return { after: Number(after), through: Number(through) };
}

/** Filters by time select a contiguous part of the chain; other filters do not. */
export const isStretch = ({ outcome, model, key, user, server, session }: RequestFilter): boolean =>
  [outcome, model, key, user, server, session].every((each) => each === undefined);

type Filtered = Pick<SamplingRecord, "createdAt" | "outcome" | "model" | "who">;

export function matchesFilter(
  filter: RequestFilter,
  { createdAt, outcome, model, who }: Filtered,
): boolean {
  const wanted: [unknown, unknown][] = [
    [filter.model, model],
    [filter.key, who.keyId],
    [filter.user, who.user],
    [filter.server, who.serverId],
    [filter.session, who.sessionId],
  ];
  return (
    createdAt >= (filter.from ?? -Infinity) &&
    createdAt < (filter.to ?? Infinity) &&
    (filter.outcome ?? outcome).split(",").includes(outcome) &&
    wanted.every(([asked, found]) => asked === undefined || asked === found)
  );
}

export const covers = (filter: RequestFilter, seal: Seal): boolean =>
  isStretch(filter) &&
  seal.firstCreatedAt >= (filter.from ?? -Infinity) &&
  seal.lastCreatedAt < (filter.to ?? Infinity);
