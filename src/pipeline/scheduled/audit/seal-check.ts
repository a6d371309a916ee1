import type { AsyncResult } from "../../../domain/refusals.ts";
import { canonicalJson } from "../../../domain/canonical.ts";
import { verifyCodes } from "../../../domain/audit/evidence.ts";
import type { Mac } from "../../../domain/tenancy/mac.ts";
import { ok } from "../../../domain/result.ts";
import { checkSeal, type Checked, type Tampering } from "../../../domain/audit/seal-check.ts";
import {
  maxUnsealed,
  signedText,
  statementOf,
  type AuditKey,
  type StoredSeal,
  type Waiting,
} from "../../../domain/audit/seals.ts";
import { vouchedKeys, type AuditKeyDeps } from "./audit-keys.ts";

export interface SealDeps extends AuditKeyDeps {
  mac: Mac;
  rolloutMs: number;
  log: (entry: Record<string, unknown>) => void;
}

async function isGenuine(
  { hashing, verify }: SealDeps,
  seal: StoredSeal,
  keys: readonly AuditKey[],
): Promise<boolean> {
  const key = keys.find(({ id }) => id === seal.keyId);
  if (key === undefined) return false;
  if ((await hashing.leafOf(canonicalJson(seal.checked))) !== seal.root) return false;
  const text = signedText("seal", statementOf(seal));
  return verify(key, { text, signature: seal.signature });
}

/** The router's own keys, unless MASTER_KEY has changed twice since. */
const keysFor = async (deps: SealDeps, head: StoredSeal): AsyncResult<AuditKey[]> =>
  deps.signer.keys.some(({ id }) => id === head.keyId) ? ok(deps.signer.keys) : vouchedKeys(deps);

export async function checkWaiting(
  deps: SealDeps,
  { head, records, counter, present }: Waiting,
  found: readonly Tampering[],
): AsyncResult<Omit<Checked, "tree">> {
  const { mac, now, rolloutMs } = deps;
  const keys = head === null ? ok([]) : await keysFor(deps, head);
  if (!keys.ok) return keys;
  const isForged = head !== null && !(await isGenuine(deps, head, keys.value));
  return ok(
    checkSeal({
      state: isForged ? "forged" : (head?.checked ?? null),
      counter,
      present,
      presentThrough:
        present.length < maxUnsealed ? Number.MAX_SAFE_INTEGER : (present.at(-1) ?? 0),
      records: await Promise.all(
        records.map(async ({ record: { id }, evidence }) => ({
          id,
          verdict: await verifyCodes(mac, evidence),
        })),
      ),
      found: isForged ? [...found, { what: "head", number: head.number }] : found,
      now: now(),
      codeKey: mac.codePrefix,
      rolloutMs,
    }),
  );
}
