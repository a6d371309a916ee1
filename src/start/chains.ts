/** Verifies all audit chains of a database before it replaces another. */
import { hashing } from "../crypto/chain.ts";
import { verifySignature } from "../crypto/signatures.ts";
import { canonicalJson } from "../domain/canonical.ts";
import { erasedAmong } from "../domain/audit/verification-section.ts";
import {
  noPrevious,
  sealedRecord,
  signedText,
  statementOf,
  type AuditKey,
  type SealStore,
  type SealWithLeaves,
} from "../domain/audit/seals.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";

/** Bounds the memory. */
const sealsAtOnce = 16;
const tenantsAtOnce = 100;

export interface Chains {
  tenants: number;
  seals: number;
  /** sealed and still present */
  records: number;
  fault: string | null;
}

type Chain = Pick<SealStore, "heads" | "read" | "keys">;
type Read = Extract<Awaited<ReturnType<SealStore["read"]>>, { ok: true }>["value"];

async function faultOfSeal(
  seal: SealWithLeaves,
  { before, keys }: { before: SealWithLeaves | null; keys: readonly AuditKey[] },
): Promise<string | null> {
  const named = `seal ${seal.number} of tenant ${seal.tenantId}`;
  const previous =
    before === null ? noPrevious : await hashing.of(canonicalJson(statementOf(before)));
  if (seal.number !== (before?.number ?? 0) + 1 || seal.previous !== previous)
    return `${named} does not follow the seal before it`;
  const key = keys.find(({ id }) => id === seal.keyId);
  const text = signedText("seal", statementOf(seal));
  if (key === undefined || !(await verifySignature(key, { text, signature: seal.signature })))
    return `${named} has no signature that verifies`;
  const leaves = hashing.unpack(seal.leaves);
  const tree = await hashing.rootOf(leaves ?? []);
  const root = seal.checked === null ? tree : await hashing.leafOf(canonicalJson(seal.checked));
  const expected = seal.checked === null ? root : seal.checked.tree;
  const isEmpty = seal.count === 0;
  if (leaves === null || root !== seal.root || leaves.length !== seal.count)
    return `${named} does not match its leaves`;
  return isEmpty || expected === tree ? null : `${named} does not match its tree`;
}

async function erasedOf(
  { seals, records, unreadable }: Read,
  keys: readonly AuditKey[],
): Promise<string | null> {
  const there = Map.groupBy([...records, ...unreadable], ({ seal }) => seal);
  for (const seal of seals) {
    const taken = new Set((there.get(seal.number) ?? []).map(({ position }) => position));
    const empty = Array.from({ length: seal.count }, (_, at) => at).filter((at) => !taken.has(at));
    const keyOf = (id: string) => keys.find((key) => key.id === id) ?? null;
    const deps = { hashing, verify: verifySignature, keyOf };
    const [position] = await erasedAmong(deps, { seal, empty, deletions: seal.deletions ?? [] });
    if (position !== undefined)
      return `the record at position ${position} of seal ${seal.number} of tenant ${seal.tenantId} was erased`;
  }
  return null;
}

async function chainOf(
  store: Chain,
  chain: { tenantId: string; newest: number; keys: readonly AuditKey[] },
): Promise<Result<Omit<Chains, "tenants">, Refusal>> {
  const { tenantId, newest, keys } = chain;
  let before: SealWithLeaves | null = null;
  const found = { seals: 0, records: 0 };
  for (let first = 1; first <= newest; first += sealsAtOnce) {
    const last = Math.min(newest, first + sealsAtOnce - 1);
    const read = await store.read(tenantId, { first, last });
    if (!read.ok) return read;
    for (const seal of read.value.seals) {
      const fault = await faultOfSeal(seal, { before, keys });
      if (fault !== null) return ok({ ...found, fault });
      before = seal;
      found.seals += 1;
    }
    const leaves = new Map(
      read.value.seals.map((seal) => [seal.number, hashing.unpack(seal.leaves) ?? []]),
    );
    for (const { record, seal, position } of read.value.records) {
      const leaf = await hashing.leafOf(canonicalJson(sealedRecord(record)));
      if (leaf !== leaves.get(seal)?.[position])
        return ok({ ...found, fault: `record ${record.id} is not as it was sealed` });
      found.records += 1;
    }
    const erased = await erasedOf(read.value, keys);
    if (erased !== null) return ok({ ...found, fault: erased });
  }
  const fault = found.seals === newest ? null : `seals of tenant ${tenantId} are missing`;
  return ok({ ...found, fault });
}

/** Stops at the first fault. */
export async function verifyChains(store: Chain): Promise<Result<Chains, string>> {
  const unanswered = err("the database does not answer");
  const keys = await store.keys();
  if (!keys.ok) return unanswered;
  const total = { tenants: 0, seals: 0, records: 0 };
  for (let after = ""; ;) {
    const heads = await store.heads(after, tenantsAtOnce);
    if (!heads.ok) return unanswered;
    for (const { tenantId, number } of heads.value) {
      const chain = await chainOf(store, { tenantId, newest: number, keys: keys.value });
      if (!chain.ok) return unanswered;
      total.tenants += 1;
      total.seals += chain.value.seals;
      total.records += chain.value.records;
      if (chain.value.fault !== null) return ok({ ...total, fault: chain.value.fault });
    }
    const last = heads.value.at(-1);
    if (last === undefined) return ok({ ...total, fault: null });
    after = last.tenantId;
  }
}
