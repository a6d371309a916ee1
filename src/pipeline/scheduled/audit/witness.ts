/**
 * Tells a witness how far each chain goes. A database that was put back to an older copy, chain and numbers
 * included, contradicts only what the witness remembers. No seal waits for the witness: what it did not take is
 * sent again by the next run.
 */
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

/** Heads in one request, of some 130 bytes each. */
const headsAtOnce = 500;
/** Requests of one run. Where there are more chains, the next run goes on. */
const mostPosts = 4;
const job = "witness";

export interface WitnessDeps {
  seals: Pick<SealStore, "heads" | "cursor" | "keepCursor">;
  hashing: Pick<Hashing, "of">;
  signer: Signer;
  /** Gives what went wrong, or null where the witness has taken the heads. Null itself: there is no witness. */
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
  for (let count = 0; count < mostPosts; count += 1) {
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
      const said = { version: 1, sentAt: now(), keyId: signer.key.id, heads };
      const signature = await signer.sign(signedText("heads", said));
      const fault = await sendToWitness(canonicalJson({ ...said, signature }));
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
  // Nothing in the database has changed, so the job is not repeated within this run.
  return ok(0);
};
