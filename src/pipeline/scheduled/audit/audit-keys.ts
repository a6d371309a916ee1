/** The router's own keys: derived from the master keys, or authenticated by a code. A row alone proves nothing. */
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Ids } from "../../../domain/tenancy/ids.ts";
import type { Mac } from "../../../domain/tenancy/mac.ts";
import { ok } from "../../../domain/result.ts";
import type {
  AuditKey,
  Hashing,
  SealStore,
  Signer,
  StoredAuditKey,
  VerifySignature,
} from "../../../domain/audit/seals.ts";

export interface AuditKeyDeps {
  seals: SealStore;
  hashing: Hashing;
  signer: Signer;
  verify: VerifySignature;
  keyMac: Mac;
  idOfPublicKey: (publicKey: string) => Promise<string | null>;
  ids: Ids;
  now: () => number;
}

const maxReported = 8;

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

/** Unverifiable keys are logged once and not published. */
export const createAuditKeyJob = (deps: AuditKeyDeps) => async (): AsyncResult<number> => {
  const { seals, keyMac, ids, now } = deps;
  const stored = await seals.keys();
  if (!stored.ok) return stored;
  const outdated: AuditKey[] = [];
  const unvouched: AuditKey[] = [];
  for (const key of stored.value) {
    const { code } = key;
    if (!(await isVouched(deps, key))) unvouched.push(key);
    else if (!code.startsWith(keyMac.codePrefix) || !(await keyMac.check(auditKeyText(key), code)))
      outdated.push(key);
  }
  for (const { id, publicKey } of unvouched.slice(0, maxReported)) {
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
