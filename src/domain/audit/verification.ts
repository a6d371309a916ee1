/** Verifies an export line by line, offline, with one section in memory. Trusts only the given keys. */
import { counted } from "../counted.ts";
import { canonicalJson } from "../canonical.ts";
import {
  gone,
  outside,
  unreadable,
  type ExportLine,
  type FooterLine,
  type HeaderLine,
  type RecordLine,
  type SectionLine,
} from "./exports.ts";
import { countIn } from "./number-ranges.ts";
import type { Tampering } from "./seal-check.ts";
import {
  statementOf,
  type AuditKey,
  type ChainHead,
  type Hashing,
  type ChainPosition,
  type Tree,
  type VerifySignature,
} from "./seals.ts";
import { firstLineFault, headerFaults, type EndedFile } from "./verification-file.ts";
import { createHeadCheck, type HeadVerdict } from "./verification-head.ts";
import {
  erasedIn,
  faultOf,
  idIn,
  isThere,
  recordFindings,
  sectionFaults,
  type Finding,
  type ReadLine,
  type VerificationDeps,
} from "./verification-section.ts";

export interface Scope {
  tenant: HeaderLine["tenant"];
  filter: HeaderLine["filter"];
  exportedAt: { first: number; last: number };
}

export interface Verified {
  scope: Scope | null;
  sealNumbers: { first: number; last: number } | null;
  records: number;
  seals: number;
  gone: number;
  erased: ChainPosition[];
  outside: number;
  unreadable: number;
  /** the router's own findings, with the number of their seal; a bounded list */
  tampered: { seal: number; tampering: Tampering }[];
  /** records sealed before, and corrected or completed since */
  replaced: number;
  nextCursor: string | null;
}

const maxTampered = 1_000;
interface OpenSection {
  number: number;
  line: SectionLine;
  isSound: boolean;
  rows: ReadLine<RecordLine>[];
}

/** @param pinned trusted keys; null: those in the export. @param wantedHeads heads from an independent source */
export function createVerification(deps: {
  hashing: Hashing;
  verify: VerifySignature;
  pinned: readonly AuditKey[] | null;
  wantedTenant?: string | null;
  wantedHeads?: readonly ChainHead[] | null;
  files?: "parts" | "sink";
}) {
  const { hashing, verify, pinned, wantedTenant = null } = deps;
  const head = createHeadCheck(hashing, deps.wantedHeads ?? null);
  const total: Verified = {
    scope: null,
    sealNumbers: null,
    records: 0,
    seals: 0,
    gone: 0,
    erased: [],
    outside: 0,
    unreadable: 0,
    tampered: [],
    replaced: 0,
    nextCursor: null,
  };
  let findings: Finding[] = [];
  let part: {
    header: HeaderLine;
    export: string;
    tree: Tree;
    sections: number;
    count: number;
  } | null = null;
  let section: OpenSection | "unreadable" | null = null;
  let ended: EndedFile | null = null;
  let isOver = false;
  let lines = 0;
  let before: SectionLine["seal"] | null = null;
  const say = (line: number, text: string): void => void findings.push({ line, text });
  const believing = (header: HeaderLine): VerificationDeps => ({
    hashing,
    verify,
    keyOf: (id) => (pinned ?? header.keys).find((key) => key.id === id) ?? null,
  });

  async function closeSection(): Promise<void> {
    const closing = section;
    section = null;
    if (part === null || closing === null || closing === "unreadable") return;
    const { line, number, rows, isSound } = closing;
    const hashes = hashing.unpack(line.leaves) ?? [];
    for (const [position, presence] of line.records.entries())
      if (isThere(presence)) {
        await part.tree.add(hashes[position] ?? "");
        part.count += 1;
      }
    total.records += rows.length;
    total.unreadable += line.records.filter((presence) => presence === unreadable).length;
    total.outside += line.records.filter((presence) => presence === outside).length;
    const { header } = part;
    if (isSound) await noteGone(header, line);
    if (isSound)
      findings.push(...(await recordFindings(believing(header), { number, line, header }, rows)));
  }

  async function noteGone(header: HeaderLine, line: SectionLine): Promise<void> {
    const erased = await erasedIn(believing(header), line);
    const places = erased.map((position) => ({ seal: line.seal.number, position }));
    total.erased.push(...places.slice(0, maxTampered - total.erased.length));
    total.gone += line.records.filter((presence) => presence === gone).length - erased.length;
  }

  async function begin(number: number, line: HeaderLine, text: string): Promise<void> {
    if (number !== 1) return say(number, "the header is not at the beginning");
    const { signature, ...value } = line;
    const fault = await faultOf(believing(line), {
      kind: "header",
      keyId: line.keyId,
      signature,
      value,
    });
    if (fault !== null) say(1, `the header ${fault}`);
    const { tenant, filter, exportedAt } = line;
    const first = total.scope?.exportedAt.first ?? exportedAt;
    total.scope = {
      ...(total.scope ?? { tenant, filter }),
      exportedAt: { first, last: exportedAt },
    };
    const wanted = { tenant: wantedTenant, files: deps.files ?? "parts" } as const;
    for (const wrong of headerFaults(line, ended, wanted)) say(1, wrong);
    part = {
      header: line,
      export: await hashing.of(text),
      tree: hashing.tree(),
      sections: 0,
      count: 0,
    };
  }

  async function open(number: number, line: SectionLine): Promise<void> {
    await closeSection();
    if (part === null) return;
    const context = { header: part.header, export: part.export, index: part.sections, before };
    const faults = await sectionFaults(believing(part.header), line, context);
    for (const fault of faults) say(number, `the section of seal ${line.seal.number} ${fault}`);
    section = { number, line, isSound: faults.length === 0, rows: [] };
    if (faults.length === 0) await note(line);
    part.sections = line.index + 1;
    total.seals += 1;
    const { number: last } = line.seal;
    total.sealNumbers = { first: total.sealNumbers?.first ?? last, last };
    before = line.seal;
  }

  async function note({ seal, checked }: SectionLine): Promise<void> {
    await head.seal(seal);
    if (checked === undefined) return;
    const tampered = checked.tampered.map((tampering) => ({ seal: seal.number, tampering }));
    total.tampered.push(...tampered.slice(0, maxTampered - total.tampered.length));
    total.replaced += countIn(checked.replaced);
  }

  async function close(number: number, line: FooterLine): Promise<void> {
    await closeSection();
    if (part === null) return;
    isOver = true;
    const { header, tree, sections, count } = part;
    const { signature, ...value } = line;
    const { keyId } = header;
    const fault = await faultOf(believing(header), { kind: "footer", keyId, signature, value });
    if (fault !== null) return say(number, `the footer ${fault}`);
    if (line.export !== part.export) return say(number, "the footer belongs to another export");
    const last = before === null ? null : await hashing.of(canonicalJson(statementOf(before)));
    const isWhole =
      line.sections === sections &&
      line.count === count &&
      line.root === (await tree.root()) &&
      // A part without sections has no last statement.
      (line.last === last || (line.last === null && sections === 0));
    const counts = `${counted(line.count, "record")} in ${counted(line.sections, "section")}`;
    if (!isWhole) say(number, `the footer counts ${counts}; here are ${count} in ${sections}`);
    ended = { header, footer: line };
    // The last part has the newest count.
    const unread = line.nextCursor === null ? (line.unreadable ?? 0) : 0;
    total.unreadable += unread;
    if (unread > 0)
      say(number, `the router could not read, and not seal, ${counted(unread, "record")}`);
    total.nextCursor = line.nextCursor;
    const isToEnd = header.whole && header.filter.to === undefined && line.nextCursor === null;
    if (isToEnd && header.filter.from === undefined && (before?.number ?? 0) !== header.through)
      say(number, `the export ends before seal ${header.through}`);
  }

  const isEndless = ({ header, footer }: EndedFile): boolean =>
    header.filter.to === undefined && footer.nextCursor === null;

  return {
    async line(read: ReadLine<ExportLine>): Promise<void> {
      const { number, text, parsed } = read;
      lines = number;
      if (isOver) return say(number, `${idIn(text)} is after the footer`);
      if (part === null && parsed?.kind !== "header")
        return number === 1 ? say(1, firstLineFault(text)) : undefined;
      if (parsed?.kind === "header") return begin(number, parsed, text);
      if (parsed?.kind === "section") return open(number, parsed);
      if (parsed?.kind === "footer") return close(number, parsed);
      if (parsed === null && /"kind":"(section|footer)"/.test(text)) {
        await closeSection();
        say(number, "is not a line of this router");
        section = "unreadable";
        if (part !== null && text.includes('"kind":"section"')) part.sections += 1;
        return;
      }
      if (section === "unreadable") return;
      const isOutside =
        section === null || (parsed !== null && parsed.seal !== section.line.seal.number);
      if (isOutside) return say(number, `${idIn(text)} is outside its section`);
      section?.rows.push({ number, text, parsed });
    },

    async endOfFile(): Promise<Finding[]> {
      await closeSection();
      if (lines === 0) say(0, "the file is empty: export it again");
      else if (part !== null && !isOver) say(lines, "the end is cut off: the footer is missing");
      const found = findings.toSorted((left, right) => left.line - right.line);
      findings = [];
      part = null;
      isOver = false;
      lines = 0;
      return found;
    },

    total: (): Verified => total,

    head: (): HeadVerdict =>
      head.verdict({
        tenant: total.scope?.tenant.id ?? null,
        isToEnd: ended !== null && ended.header.whole && isEndless(ended),
      }),
  };
}

export type Verification = ReturnType<typeof createVerification>;
