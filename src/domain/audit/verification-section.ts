import { canonicalJson } from "../canonical.ts";
import type { DeletionNotice } from "./deletion-notices.ts";
import { isAbout, unaccounted } from "./emptied-positions.ts";
import {
  covers,
  gone,
  matchesFilter,
  outside,
  unreadable,
  type HeaderLine,
  type RecordLine,
  type SectionLine,
} from "./exports.ts";
import {
  noPrevious,
  signedText,
  statementOf,
  type AuditKey,
  type Hashing,
  type SignedAs,
  type Statement,
  type VerifySignature,
} from "./seals.ts";

/** Lines count from 1; 0 is the whole file. */
export interface Finding {
  line: number;
  text: string;
}

/** `parsed`: null if the line is not canonical or not part of an export. */
export interface ReadLine<L> {
  number: number;
  text: string;
  parsed: L | null;
}

export interface VerificationDeps {
  hashing: Hashing;
  verify: VerifySignature;
  keyOf: (id: string) => AuditKey | null;
}

export const idIn = (text: string): string =>
  /"id":"(req_[0-9a-z]{26})"/.exec(text)?.[1] ?? "no id";

export async function faultOf(
  deps: VerificationDeps,
  signed: { kind: SignedAs; keyId: string; signature: string; value: object },
): Promise<string | null> {
  const { kind, keyId, signature, value } = signed;
  const key = deps.keyOf(keyId);
  if (key === null) return `is signed by the key ${keyId}, which is none of those given`;
  const text = signedText(kind, value);
  return (await deps.verify(key, { text, signature })) ? null : "is not what was signed";
}

export interface SectionContext {
  header: HeaderLine;
  export: string;
  index: number;
  before: Statement | null;
}

const isFirst = ({ header, before }: SectionContext): boolean =>
  before === null &&
  header.after === 0 &&
  header.filter.from === undefined &&
  header.filter.to === undefined;

async function chainFaults(
  deps: VerificationDeps,
  { seal }: SectionLine,
  context: SectionContext,
): Promise<string[]> {
  const { header, before } = context;
  const faults: string[] = [];
  const expected = before === null ? 1 : before.number + 1;
  const mustFollow = header.whole && (before !== null || isFirst(context));
  if (before !== null && seal.number <= before.number)
    faults.push(`is after seal ${before.number}`);
  else if (mustFollow && seal.number !== expected)
    faults.push(`comes where seal ${expected} should: those between are missing`);
  if (seal.number === expected) {
    const previous =
      before === null ? noPrevious : await deps.hashing.of(canonicalJson(statementOf(before)));
    if (seal.previous !== previous) faults.push("does not continue the chain");
  }
  return faults;
}

/** The seal authenticates `checked`, which authenticates the leaves. */
async function rootFaults(
  { hashing }: VerificationDeps,
  { seal, checked }: SectionLine,
  leaves: readonly string[],
): Promise<string[]> {
  const tree = await hashing.rootOf(leaves);
  if (checked === undefined || (await hashing.leafOf(canonicalJson(checked))) !== seal.root)
    return ["does not say what its seal says was checked"];
  return checked.tree === tree ? [] : ["has leaves that are not those of its seal"];
}

export async function sectionFaults(
  deps: VerificationDeps,
  line: SectionLine,
  sectionContext: SectionContext,
): Promise<string[]> {
  const { hashing } = deps;
  const { header } = sectionContext;
  const { signature, ...value } = line;
  const { keyId } = header;
  const broken = await faultOf(deps, { kind: "section", keyId, signature, value });
  if (broken !== null) return [broken];
  if (line.export !== sectionContext.export) return ["belongs to another export"];
  const faults = await chainFaults(deps, line, sectionContext);
  if (line.index !== sectionContext.index)
    faults.push(`is number ${line.index} of the sections, where ${sectionContext.index} should be`);
  const { seal, records } = line;
  const forged = await faultOf(deps, {
    kind: "seal",
    keyId: seal.keyId,
    signature: seal.signature,
    value: statementOf(seal),
  });
  if (forged !== null) faults.push(`holds a seal that ${forged}`);
  const leaves = hashing.unpack(line.leaves) ?? [];
  if (leaves.length !== seal.count || records.length !== seal.count)
    faults.push("does not have a leaf for each record of its seal");
  else faults.push(...(await rootFaults(deps, line, leaves)));
  if (seal.tenantId !== header.tenant.id) faults.push("holds another tenant's seal");
  if (records.includes(outside) && covers(header.filter, seal))
    faults.push("leaves out records that the filter lets through");
  return faults;
}

export async function erasedAmong(
  deps: VerificationDeps,
  {
    seal,
    empty,
    deletions,
  }: { seal: Statement; empty: readonly number[]; deletions: readonly DeletionNotice[] },
): Promise<number[]> {
  if (empty.length === 0) return [];
  const hash = await deps.hashing.of(canonicalJson(statementOf(seal)));
  const genuine: DeletionNotice[] = [];
  for (const notice of deletions) {
    const { signature, ...value } = notice;
    const fault = await faultOf(deps, { kind: "deletion", keyId: notice.keyId, signature, value });
    if (fault === null && isAbout(notice, seal, hash)) genuine.push(notice);
  }
  return unaccounted(empty, genuine);
}

export const erasedIn = (
  deps: VerificationDeps,
  { seal, records, deletions = [] }: SectionLine,
): Promise<number[]> =>
  erasedAmong(deps, {
    seal,
    deletions,
    empty: [...records.keys()].filter((position) => records[position] === gone),
  });

export const isThere = (presence: string): boolean =>
  presence !== outside && presence !== gone && presence !== unreadable;

/** Records that the section lists but the export lacks or could not read. */
function absences(
  { number, line }: { number: number; line: SectionLine },
  isNamed: (position: number) => boolean,
): Finding[] {
  const { seal, records } = line;
  return records.flatMap((presence, position) => {
    const place = `(seal ${seal.number}, position ${position})`;
    if (presence === unreadable)
      return [{ line: number, text: `the router could not read the record ${place}` }];
    return isThere(presence) && !isNamed(position)
      ? [{ line: number, text: `${presence} is missing ${place}` }]
      : [];
  });
}

export async function recordFindings(
  { hashing }: VerificationDeps,
  section: { number: number; line: SectionLine; header: HeaderLine },
  rows: readonly ReadLine<RecordLine>[],
): Promise<Finding[]> {
  const { seal, records, leaves } = section.line;
  const hashes = hashing.unpack(leaves) ?? [];
  const findings: Finding[] = [];
  const genuine = new Set<number>();
  const suspects: ReadLine<RecordLine>[] = [];
  const garbled: ReadLine<RecordLine>[] = [];
  let highest = -1;
  const found = await Promise.all(
    rows.map(async ({ parsed }) =>
      parsed === null ? null : hashing.leafOf(canonicalJson(parsed.record)),
    ),
  );
  for (const [at, row] of rows.entries()) {
    const { number, text, parsed } = row;
    const say = (what: string) => findings.push({ line: number, text: `${idIn(text)} ${what}` });
    if (parsed === null) {
      garbled.push(row);
      continue;
    }
    const { position, record } = parsed;
    const isGenuine =
      parsed.seal === seal.number &&
      records[position] === record.id &&
      hashes[position] === found[at];
    if (!isGenuine) suspects.push(row);
    else if (genuine.has(position)) say("is here a second time");
    else {
      if (position < highest) say("is out of order");
      if (!matchesFilter(section.header.filter, record)) say("does not pass the filter");
      highest = Math.max(highest, position);
      genuine.add(position);
    }
  }
  const changed = new Set<number>();
  for (const { number, text, parsed } of suspects) {
    const position = parsed?.position ?? -1;
    const isPlaced = parsed?.seal === seal.number && isThere(records[position] ?? gone);
    const wasChanged = isPlaced && !genuine.has(position) && !changed.has(position);
    if (wasChanged) changed.add(position);
    const what = wasChanged ? "was changed" : "was inserted: no seal holds it here";
    findings.push({ line: number, text: `${idIn(text)} ${what}` });
  }
  for (const { number, text } of garbled) {
    // Reported once: the garbled line is at the record's place, so the record is not missing too.
    const position = records.indexOf(idIn(text));
    if (position !== -1 && !genuine.has(position)) changed.add(position);
    findings.push({ line: number, text: `${idIn(text)} is not a line of this router` });
  }
  findings.push(...absences(section, (position) => genuine.has(position) || changed.has(position)));
  return findings;
}
