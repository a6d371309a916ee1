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

export interface Page {
  first: number;
  last: number;
}

export interface Read {
  seals: SealWithLeaves[];
  records: (ChainPosition & { record: SamplingRecord })[];
  unreadable: (ChainPosition & { id: string })[];
}

type Signed = HeaderLine | SectionLine | FooterLine;

interface Lines {
  header(opening: ExportCursor & { keys: AuditKey[]; exportedAt: number }): Promise<string>;
  page(read: Read): Promise<string>;
  footer(closing: FooterParts): Promise<string>;
}

type FooterParts = Pick<FooterLine, "nextCursor" | "waiting" | "unreadable">;

export function createTable(filter: RequestFilter): Lines {
  return {
    header: async () => csvColumns.join(",") + csvBreak,
    page: async ({ records, unreadable }) =>
      [
        ...records
          .filter(({ record }) => matchesFilter(filter, record))
          .map(({ record, ...place }) => csvRow(record, place)),
        // Unreadable records can't be filtered, so they are always listed.
        ...unreadable.map(({ id, ...place }) => csvUnreadable(id, place)),
      ]
        .map((row) => row + csvBreak)
        .join(""),
    footer: async () => "",
  };
}

export function createSignedExport(
  deps: { hashing: Hashing; signer: Signer },
  scope: { tenant: { id: string; slug: string }; filter: RequestFilter },
): Lines {
  const { hashing, signer } = deps;
  const { filter } = scope;
  const tenant = { id: scope.tenant.id, slug: scope.tenant.slug };
  const whole = isStretch(filter);
  const tree = hashing.tree();
  let header = "";
  let sections = 0;
  let count = 0;
  let last: Seal | null = null;

  const signed = async <L extends Signed>(line: Omit<L, "signature"> & { kind: L["kind"] }) =>
    canonicalJson({ ...line, signature: await signer.sign(signedText(line.kind, line)) });

  async function section(
    { leaves, checked, deletions, ...seal }: SealWithLeaves,
    { records, unreadable }: Pick<Read, "records" | "unreadable">,
  ): Promise<string> {
    const presence: SectionLine["records"] = Array.from({ length: seal.count }, () => gone);
    const lines: string[] = [];
    const hashes = hashing.unpack(leaves) ?? [];
    for (const { position } of unreadable) presence[position] = unreadableMark;
    for (const { position, record } of records) {
      const isMatch = matchesFilter(filter, record);
      presence[position] = isMatch ? record.id : outside;
      if (!isMatch) continue;
      const { number } = seal;
      lines.push(
        canonicalJson({ kind: "record", seal: number, position, record: sealedRecord(record) }),
      );
    }
    if (lines.length === 0 && unreadable.length === 0 && !whole) return "";
    for (const { position, record } of records)
      if (presence[position] === record.id) await tree.add(hashes[position] ?? "");
    const line = await signed<SectionLine>({
      kind: "section",
      export: header,
      index: sections,
      seal: { ...statementOf(seal), signature: seal.signature },
      ...(checked === null ? {} : { checked }),
      leaves,
      records: presence,
      ...(deletions !== null && { deletions }),
    });
    sections += 1;
    count += lines.length;
    last = seal;
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
      header = await hashing.of(line);
      return `${line}\n`;
    },

    async page({ seals, records, unreadable }: Read): Promise<string> {
      const bySeal = Map.groupBy(records, ({ seal }) => seal);
      const lost = Map.groupBy(unreadable, ({ seal }) => seal);
      let text = "";
      for (const seal of seals)
        text += await section(seal, {
          records: bySeal.get(seal.number) ?? [],
          unreadable: lost.get(seal.number) ?? [],
        });
      return text;
    },

    async footer(closing: FooterParts): Promise<string> {
      const line = await signed<FooterLine>({
        kind: "footer",
        export: header,
        tenantId: tenant.id,
        filter,
        sections,
        count,
        root: await tree.root(),
        last: last === null ? null : await hashing.of(canonicalJson(statementOf(last))),
        ...closing,
      });
      return `${line}\n`;
    },
  };
}
