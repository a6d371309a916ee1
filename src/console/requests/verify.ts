/** Loaded on demand, so it imports nothing shared, which would become another file of every page. */
import { hashing } from "../../crypto/chain.ts";
import { verifySignature } from "../../crypto/signatures.ts";
import type { ExportLine, RecordLine } from "../../domain/audit/exports.ts";
import type { SamplingRecord } from "../../domain/audit/record.ts";
import { sealedRecord } from "../../domain/audit/seals.ts";
import { createVerification } from "../../domain/audit/verification.ts";
import { canonicalJson } from "../../domain/canonical.ts";
import type { Found, WholeRecord } from "./record.ts";

const unsure = (text: string): Found => ({ tone: "warn", title: "Not verified", says: [text] });

async function publishedKeys(prefix: string) {
  const answer = await fetch(`${prefix}/.well-known/sampling-router/audit-keys.json`);
  const { keys } = (await answer.json()) as { keys: { kid: string; x: string }[] };
  return keys.map(({ kid, x }) => ({ id: kid, publicKey: x }));
}

type ToVerify = { tenant: string; prefix: string; record: WholeRecord };

async function exportAround({ prefix, tenant, record }: ToVerify): Promise<string[] | null> {
  const path = `/admin/v1/tenants/${encodeURIComponent(tenant)}/requests/export`;
  const range = `from=${record.createdAt}&to=${record.createdAt + 1}`;
  const answer = await fetch(`${prefix}${path}?${range}`, { credentials: "same-origin" });
  return answer.ok ? (await answer.text()).split("\n").filter((line) => line !== "") : null;
}

function shownText({ names: _, ...record }: WholeRecord): string {
  const { costUsd: _1, ...correction } = record.correction ?? { costUsd: 0 };
  const content = { ...record, correction: record.correction === null ? null : correction };
  return canonicalJson(sealedRecord(content as unknown as SamplingRecord));
}

export async function verifyRecord(asked: ToVerify): Promise<Found> {
  const { prefix, record } = asked;
  try {
    const [keys, lines] = await Promise.all([publishedKeys(prefix), exportAround(asked)]);
    if (lines === null)
      return unsure("The export could not be read. Your role may lack the permission.");
    const verification = createVerification({ hashing, verify: verifySignature, pinned: keys });
    let found: RecordLine | undefined;
    for (const [at, text] of lines.entries()) {
      const value = JSON.parse(text) as ExportLine;
      const parsed = canonicalJson(value) === text ? value : null;
      if (value.kind === "record" && value.record.id === record.id) found = value;
      await verification.line({ number: at + 1, text, parsed });
    }
    if (found === undefined)
      return unsure("Not sealed yet. Records are sealed within a minute after they end.");
    const list = (await verification.endOfFile()).map((finding) => finding.text);
    if (canonicalJson(found.record) !== shownText(record))
      list.push("this page differs from the sealed record");
    list.unshift("The record differs from what was sealed.");
    if (list.length > 1) return { tone: "bad", title: "Not verified", says: list };
    const match = `This page matches seal ${found.seal}, signed by a published key of the router.`;
    return { tone: "good", title: "Genuine", says: [match] };
  } catch {
    return unsure("Verification failed: the browser lacks Ed25519, or the router is unreachable.");
  }
}
