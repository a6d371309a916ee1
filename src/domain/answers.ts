/** Answers that are given once: whoever asks the same again gets what was answered, and pays nothing. */
import type { Refusal } from "./refusals.ts";
import type { Result } from "./result.ts";

type Answer<T> = Promise<Result<T, Refusal>>;

/** One thing to be answered, as its tenant and a digest of what makes it the same. */
export interface AnswerPlace {
  tenantId: string;
  /** hex SHA-256 */
  digest: string;
}

export interface AnswerClaim extends AnswerPlace {
  /** of this try alone */
  owner: string;
  now: number;
  /** when an owner that was not heard of again has lost it; ms since the epoch */
  leaseUntil: number;
}

export interface AnswerStore {
  /** Who answers it: this owner, or another; with the answer, as the vault sealed it, once there is one. */
  claim(claim: AnswerClaim): Answer<{ owner: string; sealed: string | null }>;
  /** Keeps the answer, if the owner still is its owner. */
  keep(
    place: AnswerPlace,
    kept: { owner: string; sealed: string; expiresAt: number },
  ): Answer<null>;
  /** Gives it up: the next one that asks answers it. */
  release(place: AnswerPlace, owner: string): Answer<null>;
  /** What has expired. Returns how many. */
  prune(now: number): Answer<number>;
}
