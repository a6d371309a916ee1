/**
 * Which public keys are the router's. A row of the database proves nothing. A key counts if it is derived from
 * MASTER_KEY or MASTER_KEY_PREVIOUS, or if its row has a code by one of them.
 */
import type { AsyncResult } from "../../domain/refusals.ts";
import { canonicalJson } from "../../domain/canonical.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import { ok } from "../../domain/result.ts";
import {
  signedText,
  statementOf,
  type AuditKey,
  type Hashing,
  type Seal,
  type SealStore,
  type Signer,
  type StoredAuditKey,
  type StoredSeal,
  type VerifySignature,
} from "../../domain/audit/seals.ts";

export interface AuditKeyDeps {
  seals: SealStore;
  hashing: Hashing;
  signer: Signer;
  verify: VerifySignature;
  /** codes of rows of public keys */
  keyMac: Mac;
  idOfPublicKey: (publicKey: string) => Promise<string | null>;
  ids: Ids;
  now: () => number;
}

/** How many chains an older key is looked for in, and how many keys are looked for in one run. */
const chainsAsked = 8;
const keysAsked = 8;

/** What the code of a public key covers. */
export const auditKeyText = ({ id, publicKey }: AuditKey): string => `${id}\n${publicKey}`;

export const withCode = async ({ keyMac }: Pick<AuditKeyDeps, "keyMac">, key: AuditKey) =>
  ({ ...key, code: await keyMac.code(auditKeyText(key)) }) satisfies StoredAuditKey;

async function isVouched(
  { signer, keyMac }: Pick<AuditKeyDeps, "signer" | "keyMac">,
  key: StoredAuditKey,
): Promise<boolean> {
  const own = signer.keys.find(({ id }) => id === key.id);
  if (own !== undefined) return own.publicKey === key.publicKey;
  return keyMac.check(auditKeyText(key), key.code);
}

/** All keys that ever signed and for which the master keys vouch. */
export async function vouchedKeys(
  deps: Pick<AuditKeyDeps, "seals" | "signer" | "keyMac">,
): AsyncResult<AuditKey[]> {
  const stored = await deps.seals.keys();
  if (!stored.ok) return stored;
  const keys = new Map(deps.signer.keys.map((key) => [key.id, key]));
  for (const { id, publicKey, code } of stored.value)
    if (await isVouched(deps, { id, publicKey, code })) keys.set(id, { id, publicKey });
  return ok([...keys.values()]);
}

/** Whether the router found nothing wrong with the seal before. Version 1 did not check it. */
async function accepts({ hashing }: AuditKeyDeps, next: StoredSeal, last: Seal): Promise<boolean> {
  if (next.checked === null) return next.version === 1;
  if ((await hashing.leafOf(canonicalJson(next.checked))) !== next.root) return false;
  return !next.checked.tampered.some((each) => each.what === "head" && each.number === last.number);
}

/**
 * Whether a chain says that a key signed for this router. The key's last seal is named by the next seal, with
 * the hash of its whole statement, and a known key signed that next seal. A key's id is its hash.
 */
async function isInChain(
  deps: AuditKeyDeps,
  key: AuditKey,
  known: readonly AuditKey[],
): Promise<boolean> {
  const { seals, hashing, verify, idOfPublicKey } = deps;
  if ((await idOfPublicKey(key.publicKey)) !== key.id) return false;
  const found = await seals.lastOf(key.id, chainsAsked);
  if (!found.ok) return false;
  for (const { last, next } of found.value) {
    const nextKey = known.find(({ id }) => id === next.keyId);
    if (nextKey === undefined) continue;
    const text = signedText("seal", statementOf(next));
    const follows = next.previous === (await hashing.of(canonicalJson(statementOf(last))));
    if (!follows || !(await accepts(deps, next, last))) continue;
    if (await verify(nextKey, { text, signature: next.signature })) return true;
  }
  return false;
}

/**
 * Vouches for keys from before there were codes, and renews codes after a rotation. A key for which nothing
 * vouches is logged once, and no longer published. Returns how many keys were vouched for.
 */
export const createAuditKeyJob = (deps: AuditKeyDeps) => async (): AsyncResult<number> => {
  const { seals, signer, keyMac, ids, now } = deps;
  const stored = await seals.keys();
  if (!stored.ok) return stored;
  const known: AuditKey[] = [...signer.keys];
  const isCurrent = ({ code }: StoredAuditKey) => code?.startsWith(keyMac.codePrefix) === true;
  const outdated: AuditKey[] = [];
  let strangers: StoredAuditKey[] = [];
  for (const key of stored.value) {
    if (!(await isVouched(deps, key))) strangers.push(key);
    else {
      known.push(key);
      if (!isCurrent(key) || !(await keyMac.check(auditKeyText(key), key.code))) outdated.push(key);
    }
  }
  strangers = strangers.slice(0, keysAsked);
  // The seals of one key may vouch for the key before it, so the search goes on from key to key.
  for (let more = true; more;) {
    more = false;
    for (const key of strangers) {
      if (signer.keys.some(({ id }) => id === key.id) || !(await isInChain(deps, key, known)))
        continue;
      known.push(key);
      outdated.push(key);
      strangers = strangers.filter(({ id }) => id !== key.id);
      more = true;
    }
  }
  for (const { id, publicKey } of strangers) {
    const reported = await seals.reportKey({
      id: ids.next("event"),
      at: now(),
      actor: "router",
      action: "audit.tampered",
      tenantId: null,
      target: id,
      detail: { what: "key", id, publicKey },
    });
    if (!reported.ok) return reported;
  }
  const renewed = await Promise.all(outdated.map((key) => withCode(deps, key)));
  const kept = await seals.keepKeys(renewed, now());
  return kept.ok ? ok(renewed.length) : kept;
};
