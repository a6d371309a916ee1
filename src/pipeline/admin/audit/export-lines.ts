import { canonicalJson } from "../../../domain/canonical.ts";
import { csvBreak, csvColumns, csvRow, csvUnreadable } from "../../../domain/audit/csv.ts";
import {
  gone,
  isStretch,
  matchesFilter,
  outside,
  unreadable as unreadableMark,
  type ExportCursor,
  type FooterLine,
  type HeaderLine,
  type SectionLine,
} from "../../../domain/audit/exports.ts";
import type { SamplingRecord } from "../../../domain/audit/record.ts";
import type { RequestFilter } from "../../../domain/audit/record.ts";
import {
  sealedRecord,
  signedText,
  statementOf,
  type AuditKey,
  type Hashing,
  type ChainPosition,
  type Seal,
  type Signer,
  type SealWithLeaves,
} from "../../../domain/audit/seals.ts";

/** Numbers of seals, inclusive. */
export interface SealRange {
  first: number;
  last: number;
}

export interface SealedContent {
  seals: SealWithLeaves[];
  records: (ChainPosition & { record: SamplingRecord })[];
  unreadable: (ChainPosition & { id: string })[];
}

type SignedLine = HeaderLine | SectionLine | FooterLine;

interface ExportWriter {
  header(opening: ExportCursor & { keys: AuditKey[]; exportedAt: number }): Promise<string>;
  page(read: SealedContent): Promise<string>;
  footer(closing: FooterParts): Promise<string>;
}

type FooterParts = Pick<FooterLine, "nextCursor" | "waiting" | "unreadable">;

export function createCsvExport(filter: RequestFilter): ExportWriter {
  return {
    header: async () => csvColumns.join(",") + csvBreak,
    page: async ({ records, unreadable }) =>
      [
        ...records
          .filter(({ record }) => matchesFilter(filter, record))
          .map(({ record, ...position }) => csvRow(record, position)),
        // Unreadable records can't be filtered, so they are always listed.
        ...unreadable.map(({ id, ...position }) => csvUnreadable(id, position)),
      ]
        .map((row) => row + csvBreak)
        .join(""),
    footer: async () => "",
  };
}

export function createSignedExport(
  deps: { hashing: Hashing; signer: Signer },
  scope: { tenant: { id: string; slug: string }; filter: RequestFilter },
): ExportWriter {
  const { hashing, signer } = deps;
  const { filter } = scope;
  const tenant = { id: scope.tenant.id, slug: scope.tenant.slug };
  const whole = isStretch(filter);
  const tree = hashing.tree();
  let headerHash = "";
  let sectionCount = 0;
  let recordCount = 0;
  let lastSeal: Seal | null = null;

  const signed = async <L extends SignedLine>(line: Omit<L, "signature"> & { kind: L["kind"] }) =>
    canonicalJson({ ...line, signature: await signer.sign(signedText(line.kind, line)) });

  async function section(
    { leaves, checked, deletions, ...seal }: SealWithLeaves,
    { records, unreadable }: Pick<SealedContent, "records" | "unreadable">,
  ): Promise<string> {
    const marks: SectionLine["records"] = Array.from({ length: seal.count }, () => gone);
    const lines: string[] = [];
    const hashes = hashing.unpack(leaves) ?? [];
    for (const { position } of unreadable) marks[position] = unreadableMark;
    for (const { position, record } of records) {
      const isMatch = matchesFilter(filter, record);
      marks[position] = isMatch ? record.id : outside;
      if (!isMatch) continue;
      const { number } = seal;
      lines.push(
        canonicalJson({ kind: "record", seal: number, position, record: sealedRecord(record) }),
      );
    }
    if (lines.length === 0 && unreadable.length === 0 && !whole) return "";
    for (const { position, record } of records)
      if (marks[position] === record.id) await tree.add(hashes[position] ?? "");
    const line = await signed<SectionLine>({
      kind: "section",
      export: headerHash,
      index: sectionCount,
      seal: { ...statementOf(seal), signature: seal.signature },
      ...(checked === null ? {} : { checked }),
      leaves,
      records: marks,
      ...(deletions !== null && { deletions }),
    });
    sectionCount += 1;
    recordCount += lines.length;
    lastSeal = seal;
    return `${[line, ...lines].join("\n")}\n`;
  }

  return {
    async header(
      opening: ExportCursor & { keys: AuditKey[]; exportedAt: number },
    ): Promise<string> {
      const line = await signed<HeaderLine>({
        kind: "header",
        version: 1,
        tenant,
        filter,
        whole,
        ...opening,
        keyId: signer.key.id,
      });
      headerHash = await hashing.of(line);
      return `${line}\n`;
    },

    async page({ seals, records, unreadable }: SealedContent): Promise<string> {
      const recordsBySeal = Map.groupBy(records, ({ seal }) => seal);
      const unreadableBySeal = Map.groupBy(unreadable, ({ seal }) => seal);
      let text = "";
      for (const seal of seals)
        text += await section(seal, {
          records: recordsBySeal.get(seal.number) ?? [],
          unreadable: unreadableBySeal.get(seal.number) ?? [],
        });
      return text;
    },

    async footer(closing: FooterParts): Promise<string> {
      const line = await signed<FooterLine>({
        kind: "footer",
        export: headerHash,
        tenantId: tenant.id,
        filter,
        sections: sectionCount,
        count: recordCount,
        root: await tree.root(),
        last: lastSeal === null ? null : await hashing.of(canonicalJson(statementOf(lastSeal))),
        ...closing,
      });
      return `${line}\n`;
    },
  };
}
