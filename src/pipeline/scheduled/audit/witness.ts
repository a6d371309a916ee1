/** A witness alone can detect a database restored to an older copy. Unsent heads are sent by the next run. */
import type { AsyncResult } from "../../../domain/refusals.ts";
import { canonicalJson } from "../../../domain/canonical.ts";
import { ok } from "../../../domain/result.ts";
import {
  signedText,
  statementOf,
  type ChainHead,
  type Hashing,
  type SealStore,
  type Signer,
} from "../../../domain/audit/seals.ts";

/** Heads per request, about 130 bytes each. */
const headsAtOnce = 500;
const maxPosts = 4;
const job = "witness";

export interface WitnessDeps {
  seals: Pick<SealStore, "heads" | "cursor" | "keepCursor">;
  hashing: Pick<Hashing, "of">;
  signer: Signer;
  sendToWitness: ((body: string) => Promise<string | null>) | null;
  now: () => number;
  log: (entry: Record<string, unknown>) => void;
}

export const createWitnessJob = (deps: WitnessDeps) => async (): AsyncResult<number> => {
  const { seals, hashing, signer, now, log, sendToWitness } = deps;
  if (sendToWitness === null) return ok(0);
  const kept = await seals.cursor(job);
  if (!kept.ok) return kept;
  let cursor = kept.value;
  for (let count = 0; count < maxPosts; count += 1) {
    const found = await seals.heads(cursor, headsAtOnce);
    if (!found.ok) return found;
    const heads = await Promise.all(
      found.value.map(async (seal): Promise<ChainHead> => ({
        tenant: seal.tenantId,
        number: seal.number,
        hash: await hashing.of(canonicalJson(statementOf(seal))),
      })),
    );
    if (heads.length > 0) {
      const report = { version: 1, sentAt: now(), keyId: signer.key.id, heads };
      const signature = await signer.sign(signedText("heads", report));
      const fault = await sendToWitness(canonicalJson({ ...report, signature }));
      if (fault !== null) {
        log({ event: "witness", fault });
        break;
      }
    }
    cursor = heads.length < headsAtOnce ? "" : (heads.at(-1)?.tenant ?? "");
    if (cursor === "") break;
  }
  if (cursor !== kept.value) {
    const written = await seals.keepCursor(job, cursor);
    if (!written.ok) return written;
  }
  // Not repeated within this run.
  return ok(0);
};
