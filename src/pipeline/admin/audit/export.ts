/** Reads the chain seal by seal as the consumer takes it, so that memory stays bounded. */
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import { cursorText, isStretch, type ExportCursor } from "../../../domain/audit/exports.ts";
import type { Tenant } from "../../../domain/ports/stores.ts";
import type { RequestFilter } from "../../../domain/audit/record.ts";
import { ok } from "../../../domain/result.ts";
import { maxPerSeal, type AuditKey, type SealSpan } from "../../../domain/audit/seals.ts";
import { vouchedKeys, withCode } from "../../scheduled/audit/audit-keys.ts";
import { sealOnce, type SealDeps } from "../../scheduled/audit/seal.ts";
import { tenantFor, type AdminDeps } from "../access/access.ts";
import { createSignedExport, createCsvExport, type SealRange } from "./export-lines.ts";

/** About 520 statements; a Worker may send 1,000 requests per invocation. */
const defaultMaxPerPart = 32_768;
const maxSealsPerPart = 8_192;
/** Seals made before the export starts, for calls that just ended. */
const sealsFirst = 20;

export const exportFormats = ["ndjson", "csv"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface Exported {
  name: string;
  format: ExportFormat;
  nextCursor: string | null;
  /** throws if the database fails: the export then ends without a footer */
  chunks: AsyncIterable<string>;
}

function pagesOf(spans: readonly SealSpan[]): SealRange[] {
  const pages: (SealRange & { count: number })[] = [];
  for (const { number, count } of spans) {
    const page = pages.at(-1);
    if (page !== undefined && page.count + count <= maxPerSeal) {
      page.last = number;
      page.count += count;
    } else pages.push({ first: number, last: number, count });
  }
  return pages;
}

function partOf(spans: readonly SealSpan[], maxPerPart: number): SealSpan[] {
  let total = 0;
  return spans.filter(({ count }, at) => (total += count) <= maxPerPart || at === 0);
}

export function createExportAdmin(deps: SealDeps & AdminDeps & { maxPerPart?: number }) {
  const { seals, signer, now, maxPerPart = defaultMaxPerPart } = deps;

  const publicKeys = (): AsyncResult<AuditKey[]> => vouchedKeys(deps);

  async function placeOf(tenant: Tenant, cursor: ExportCursor | null): AsyncResult<ExportCursor> {
    if (cursor !== null) return ok(cursor);
    for (let count = 0; count < sealsFirst; count += 1) {
      const sealed = await sealOnce(deps, tenant.id, now());
      if (!sealed.ok) return sealed;
      if (sealed.value < maxPerSeal) break;
    }
    const head = await seals.head(tenant.id);
    return head.ok ? ok({ after: 0, through: head.value?.number ?? 0 }) : head;
  }

  async function spansOf(
    tenant: Tenant,
    filter: RequestFilter,
    { after, through }: ExportCursor,
  ): AsyncResult<{ spans: SealSpan[]; more: boolean }> {
    const { from, to } = filter;
    const range = await seals.sealRange(tenant.id, { after, from, to });
    if (!range.ok) return range;
    if (range.value === null || range.value.first > through) return ok({ spans: [], more: false });
    const first = after > 0 && isStretch(filter) ? after + 1 : range.value.first;
    const last = Math.min(range.value.last, through);
    const found = await seals.spans(tenant.id, { first, last }, maxSealsPerPart);
    if (!found.ok) return found;
    const spans = partOf(found.value, maxPerPart);
    return ok({ spans, more: (spans.at(-1)?.number ?? last) < last });
  }

  return {
    async start(
      actor: Actor,
      slug: string,
      wanted: { format: ExportFormat; filter: RequestFilter; cursor: ExportCursor | null },
    ): AsyncResult<Exported> {
      const { format, filter } = wanted;
      const found = await tenantFor(deps, actor, slug);
      if (!found.ok) return found;
      const tenant = found.value;
      // Keys are stored before they sign, so that a part stays verifiable after MASTER_KEY changes.
      const own = await Promise.all(signer.keys.map((key) => withCode(deps, key)));
      const kept = await seals.keepKeys(own, now());
      if (!kept.ok) return kept;
      const [keys, place] = [await publicKeys(), await placeOf(tenant, wanted.cursor)];
      if (!keys.ok) return keys;
      if (!place.ok) return place;
      const [part, waiting] = [
        await spansOf(tenant, filter, place.value),
        await seals.countWaiting(tenant.id),
      ];
      if (!part.ok) return part;
      if (!waiting.ok) return waiting;
      const { after, through } = place.value;
      const { spans, more } = part.value;
      const nextCursor = more ? cursorText({ after: spans.at(-1)?.number ?? 0, through }) : null;
      const lines =
        format === "csv" ? createCsvExport(filter) : createSignedExport(deps, { tenant, filter });
      const header = { after, through, keys: keys.value, exportedAt: now() };
      const { unreadable } = waiting.value;
      const footer = {
        nextCursor,
        waiting: waiting.value.waiting,
        ...(unreadable > 0 && { unreadable }),
      };
      async function* chunks(): AsyncGenerator<string> {
        yield await lines.header(header);
        for (const page of pagesOf(spans)) {
          const read = await seals.read(tenant.id, page);
          // The status is already sent. A cut export has no footer.
          if (!read.ok) throw new Error("export cut off");
          yield await lines.page(read.value);
        }
        yield await lines.footer(footer);
      }
      return ok({ name: `${slug}-requests-${after}`, format, nextCursor, chunks: chunks() });
    },

    publicKeys,
  };
}
