/** Exports made by the product's own parts on a database in a file, and checked as `npm run audit` does. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashing } from "../../../src/crypto/chain.ts";
import { createSigner, verifySignature } from "../../../src/crypto/signatures.ts";
import { parseCursor } from "../../../src/domain/audit/exports.ts";
import type { Stores } from "../../../src/domain/ports/stores.ts";
import type { RequestFilter } from "../../../src/domain/audit/record.ts";
import type { AuditKey, Signer } from "../../../src/domain/audit/seals.ts";
import { createVerification, type Verified } from "../../../src/domain/audit/verification.ts";
import type { Finding } from "../../../src/domain/audit/verification-section.ts";
import { createExportAdmin, type ExportFormat } from "../../../src/pipeline/admin/audit/export.ts";
import { readLines } from "../../../src/cli/export-files.ts";
import { start } from "../store/fixtures.ts";
import { value } from "../store/open.ts";
import { sealingParts } from "../store/sealing.ts";

export const signerOf = (byte: number): Promise<Signer> =>
  createSigner({ master: new Uint8Array(32).fill(byte), previous: null });

export interface Asked {
  format?: ExportFormat;
  filter?: RequestFilter;
  cursor?: string | null;
  maxPerPart?: number;
}

/** One part of an export, as text. */
export async function exportPart(
  { stores, signer }: { stores: Stores; signer: Signer },
  slug: string,
  { format = "ndjson", filter = {}, cursor = null, maxPerPart = 32_768 }: Asked = {},
): Promise<{ text: string; nextCursor: string | null }> {
  const exports = createExportAdmin({
    ...stores,
    ...(await sealingParts({ signer })),
    maxPerPart,
    now: () => start + 1e9,
  });
  const about = { format, filter, cursor: cursor === null ? null : parseCursor(cursor) };
  const { chunks, nextCursor } = value(await exports.start({ kind: "operator" }, slug, about));
  let text = "";
  for await (const chunk of chunks) text += chunk;
  return { text, nextCursor };
}

/** What is wrong with the parts of an export; []: nothing. */
export async function verifyParts(
  parts: readonly (string | Uint8Array)[],
  pinned: readonly AuditKey[] | null,
): Promise<Verified & { findings: Finding[] }> {
  const folder = mkdtempSync(join(tmpdir(), "sampling-router-export-"));
  const verification = createVerification({ hashing, verify: verifySignature, pinned });
  const findings: Finding[] = [];
  try {
    for (const [at, part] of parts.entries()) {
      const path = join(folder, `${at}.ndjson`);
      writeFileSync(path, part);
      for await (const line of readLines(path)) await verification.line(line);
      findings.push(...(await verification.endOfFile()));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { findings, ...verification.total() };
}
