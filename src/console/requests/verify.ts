/** Loaded on demand, so it imports nothing shared, which would become another file of every page. */
import { hashing } from "../../crypto/chain.ts";
import { verifySignature } from "../../crypto/signatures.ts";
import type { ExportLine } from "../../domain/audit/exports.ts";
import type { SamplingRecord } from "../../domain/audit/record.ts";
import { sealedRecord, type AuditKey } from "../../domain/audit/seals.ts";
import { createVerification } from "../../domain/audit/verification.ts";
import { canonicalJson } from "../../domain/canonical.ts";
import type { WholeRecord } from "./record.ts";

export interface Verdict {
  isGenuine: boolean;
  says: string;
  seal: number | null;
  findings: string[];
}

const unsure = (says: string): Verdict => ({ isGenuine: false, says, seal: null, findings: [] });

async function publishedKeys(prefix: string): Promise<AuditKey[]> {
  const answer = await fetch(`${prefix}/.well-known/sampling-router/audit-keys.json`);
  const { keys } = (await answer.json()) as { keys: { kid: string; x: string }[] };
  return keys.map(({ kid, x }) => ({ id: kid, publicKey: x }));
}

interface ToVerify {
  tenant: string;
  prefix: string;
  record: WholeRecord;
}

async function exportAround({ prefix, tenant, record }: ToVerify): Promise<string | null> {
  const { createdAt } = record;
  const query = new URLSearchParams({ from: `${createdAt}`, to: `${createdAt + 1}` });
  const path = `/admin/v1/tenants/${encodeURIComponent(tenant)}/requests/export`;
  const answer = await fetch(`${prefix}${path}?${query}`, { credentials: "same-origin" });
  return answer.ok ? answer.text() : null;
}

function shownText(record: WholeRecord): string {
  const { costUsd: _, ...correction } = record.correction ?? { costUsd: 0 };
  const { names: __, ...sealed } = record;
  const content = { ...sealed, correction: record.correction === null ? null : correction };
  return canonicalJson(sealedRecord(content as unknown as SamplingRecord));
}

function parsedLine(text: string): ExportLine | null {
  const value: unknown = JSON.parse(text);
  return canonicalJson(value) === text ? (value as ExportLine) : null;
}

interface Line {
  kind: string;
  seal: number;
  record: { id: string };
}

const lineOf = (lines: readonly string[], id: string): Line | undefined =>
  lines
    .filter((text) => text.includes(id))
    .map((text) => JSON.parse(text) as Line)
    .find(({ kind, record }) => kind === "record" && record.id === id);

export async function verifyRecord(asked: ToVerify): Promise<Verdict> {
  const { prefix, record } = asked;
  try {
    const [keys, text] = await Promise.all([publishedKeys(prefix), exportAround(asked)]);
    if (text === null)
      return unsure("The export could not be read. Your role may lack the permission.");
    const lines = text.split("\n").filter((line) => line !== "");
    const found = lineOf(lines, record.id);
    if (found === undefined)
      return unsure("Not sealed yet. Records are sealed within a minute after they end.");
    const verification = createVerification({ hashing, verify: verifySignature, pinned: keys });
    for (const [at, line] of lines.entries())
      await verification.line({ number: at + 1, text: line, parsed: parsedLine(line) });
    const findings = (await verification.endOfFile()).map((finding) => finding.text);
    if (canonicalJson(found.record) !== shownText(record))
      findings.push("this page differs from the sealed record");
    const isGenuine = findings.length === 0;
    const says = isGenuine
      ? `This page matches seal ${found.seal}, signed by a published key of the router.`
      : "The record differs from what was sealed.";
    return { isGenuine, says, seal: found.seal, findings };
  } catch {
    return unsure("Verification failed: the browser lacks Ed25519, or the router is unreachable.");
  }
}
