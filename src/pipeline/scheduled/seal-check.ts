/** What a seal run finds before it seals: whether the chain is the router's, and what the records' codes say. */
import type { AsyncResult } from "../../domain/refusals.ts";
import { canonicalJson } from "../../domain/canonical.ts";
import { standingOf } from "../../domain/audit/evidence.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import { ok } from "../../domain/result.ts";
import { checkSeal, type Checked, type Tampering } from "../../domain/audit/seal-check.ts";
import {
  mostPresent,
  signedText,
  statementOf,
  type AuditKey,
  type StoredSeal,
  type Waiting,
} from "../../domain/audit/seals.ts";
import { vouchedKeys, type AuditKeyDeps } from "./audit-keys.ts";

export interface SealDeps extends AuditKeyDeps {
  /** codes of records */
  mac: Mac;
  /** ms in which processes of the version before, or with the MASTER_KEY before, may still write */
  rolloutMs: number;
  log: (entry: Record<string, unknown>) => void;
}

/** Whether the router made a seal and the `checked` that stands beside it. */
async function isGenuine(
  { hashing, verify }: SealDeps,
  seal: StoredSeal,
  keys: readonly AuditKey[],
): Promise<boolean> {
  const key = keys.find(({ id }) => id === seal.keyId);
  if (key === undefined) return false;
  if (seal.version > 1 && (await hashing.leafOf(canonicalJson(seal.checked))) !== seal.root)
    return false;
  const text = signedText("seal", statementOf(seal));
  return verify(key, { text, signature: seal.signature });
}

/** The keys that the heads name. They are this router's own, unless MASTER_KEY has changed twice since. */
async function keysFor(deps: SealDeps, heads: readonly StoredSeal[]): AsyncResult<AuditKey[]> {
  const own = deps.signer.keys;
  const isOwn = (id: string): boolean => own.some((key) => key.id === id);
  return heads.every(({ keyId }) => isOwn(keyId)) ? ok(own) : vouchedKeys(deps);
}

/** Everything that the seal of these records says in `checked`, except `tree`. */
export async function checkWaiting(
  deps: SealDeps,
  { head, checkedHead, records, counter, present, placed }: Waiting,
  found: readonly Tampering[],
): AsyncResult<Omit<Checked, "tree">> {
  const { mac, now, rolloutMs } = deps;
  const heads = [head, checkedHead].flatMap((seal) => seal ?? []);
  const keys = await keysFor(deps, heads);
  if (!keys.ok) return keys;
  const genuine = new Set<number>();
  const forged: Tampering[] = [];
  for (const [number, seal] of new Map(heads.map((each) => [each.number, each])))
    if (await isGenuine(deps, seal, keys.value)) genuine.add(number);
    else forged.push({ what: "head", number });
  const isTrusted = checkedHead !== null && genuine.has(checkedHead.number);
  const standings = await Promise.all(records.map(({ evidence }) => standingOf(mac, evidence)));
  return ok(
    checkSeal({
      state: isTrusted ? checkedHead.checked : null,
      before: head === null ? "nothing" : forged.length > 0 ? "forged" : "unchecked",
      counter,
      present,
      presentThrough:
        present.length < mostPresent ? Number.MAX_SAFE_INTEGER : (present.at(-1) ?? 0),
      placed,
      records: records.map(({ record: { id } }, at) => ({
        id,
        standing: standings[at] ?? { state: "bad", number: null, fault: "none" },
      })),
      found: [...found, ...forged],
      now: now(),
      codeKey: mac.codePrefix,
      rolloutMs,
    }),
  );
}
