/**
 * The lines of an export. Each line is canonical JSON: a header, then for each seal a section and the records
 * that the filter lets through, then a footer. Sections are signed one by one, so that a change can be named
 * where it is. Each signed line carries the hash of the header, so it counts in one export alone.
 */
import type { DeletionNotice } from "./deletion-notices.ts";
import type { SamplingRecord } from "./record.ts";
import type { RequestFilter } from "./record.ts";
import type { AuditKey, Checked, Place, Seal, SealedRecord } from "./seals.ts";

export interface HeaderLine {
  kind: "header";
  version: 1;
  tenant: { id: string; slug: string };
  filter: RequestFilter;
  /** number of the seal after which this part begins; 0: the part begins at the beginning */
  after: number;
  /** number of the newest seal when the export began; all its parts end there */
  through: number;
  /** whether every seal between the first and the last is here, whatever records the filter lets through */
  whole: boolean;
  exportedAt: number;
  /** the router's public keys; a careful reader has them from elsewhere */
  keys: AuditKey[];
  keyId: string;
  signature: string;
}

/**
 * Why a sealed record doesn't follow, in the place of its id: the filter leaves it out, it was deleted, or the
 * router can't read it.
 */
export const outside = "outside";
export const gone = "gone";
export const unreadable = "unreadable";

export interface SectionLine {
  kind: "section";
  /** hash of the header's line */
  export: string;
  /** from 0 */
  index: number;
  seal: Seal;
  /** what was found while the seal was made; absent: the database lost it, which fails verification */
  checked?: Checked;
  /** packed */
  leaves: string;
  /** for each leaf the id of its record if that follows, else `outside`, `gone` or `unreadable` */
  records: string[];
  /** why records are `gone`; absent: none was deleted */
  deletions?: DeletionNotice[];
  signature: string;
}

export interface RecordLine extends Place {
  kind: "record";
  record: SealedRecord;
}

export interface FooterLine {
  kind: "footer";
  export: string;
  tenantId: string;
  filter: RequestFilter;
  sections: number;
  /** how many records */
  count: number;
  /** root of the tree over the records' leaves, in their order */
  root: string;
  /** hash of the last section's statement; null: there is no section */
  last: string | null;
  /** where the next part begins; null: this is the end */
  nextCursor: string | null;
  /** finished records of the tenant that are in no seal yet, and so not in this export */
  waiting: number;
  /** finished records without a seal that can't be read, so that no seal can hold them; absent: none */
  unreadable?: number;
  signature: string;
}

export type ExportLine = HeaderLine | SectionLine | RecordLine | FooterLine;

/** Where a part begins, and where the export ends. */
export interface ExportCursor {
  after: number;
  through: number;
}

export const cursorText = ({ after, through }: ExportCursor): string => `${after}-${through}`;

export function parseCursor(text: string): ExportCursor {
  const [after = "0", through = "0"] = text.split("-");
  return { after: Number(after), through: Number(through) };
}

/** Filters by time leave a stretch of the chain. All other filters pick records out of it. */
export const isStretch = ({ outcome, model, key, user, server, session }: RequestFilter): boolean =>
  [outcome, model, key, user, server, session].every((each) => each === undefined);

type Filtered = Pick<SamplingRecord, "createdAt" | "outcome" | "model" | "who">;

/** Lets a record through as the list of records does. */
export function matchesFilter(
  filter: RequestFilter,
  { createdAt, outcome, model, who }: Filtered,
): boolean {
  const wanted: [unknown, unknown][] = [
    [filter.outcome, outcome],
    [filter.model, model],
    [filter.key, who.keyId],
    [filter.user, who.user],
    [filter.server, who.serverId],
    [filter.session, who.sessionId],
  ];
  return (
    createdAt >= (filter.from ?? -Infinity) &&
    createdAt < (filter.to ?? Infinity) &&
    wanted.every(([asked, found]) => asked === undefined || asked === found)
  );
}

/** Whether the filter is sure to let every record of a seal through. */
export const covers = (filter: RequestFilter, seal: Seal): boolean =>
  isStretch(filter) &&
  seal.firstCreatedAt >= (filter.from ?? -Infinity) &&
  seal.lastCreatedAt < (filter.to ?? Infinity);
