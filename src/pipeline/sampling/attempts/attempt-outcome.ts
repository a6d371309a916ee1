import {
  isKeyRefused,
  isTransient,
  summaryOf,
  type Attempt,
  type ProviderFault,
  type RefusedKey,
} from "../../../domain/attempts.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import type { ProviderAnswer } from "../../../domain/sampling/providers.ts";

type Outcome = Omit<Attempt, "provider" | "model" | "credentialId" | "latencyMs">;

export const answered = ({ notes, usage }: ProviderAnswer): Outcome => ({
  status: 200,
  retryable: false,
  fault: null,
  billed: "yes",
  retryAfterMs: null,
  usage,
  ...(notes.length === 0 ? {} : { notes }),
});

export const failed = (fault: ProviderFault): Outcome => ({
  status: fault.status,
  retryable: fault.retryable,
  fault: fault.kind,
  billed: fault.billed,
  retryAfterMs: fault.retryAfterMs,
  reach: fault.reach,
  ...(fault.code === undefined ? {} : { code: fault.code }),
  ...(fault.network === undefined ? {} : { network: fault.network }),
  ...(fault.usage === null ? {} : { usage: fault.usage }),
});

/** The last attempt tells whether the provider failed or timed out. */
export function exhausted(attempts: readonly Attempt[]): Refusal {
  const waits = attempts.flatMap((attempt) =>
    isTransient(attempt) ? (attempt.retryAfterMs ?? []) : [],
  );
  return {
    reason: attempts.at(-1)?.fault === "timeout" ? "provider_timeout" : "provider_failed",
    attempts: attempts.map(summaryOf),
    ...(waits.length === 0 ? {} : { retryAfterMs: Math.min(...waits) }),
  };
}

export const refusedKeysOf = (
  attempts: readonly (Attempt & { readAt: number })[],
): RefusedKey[] => {
  const refused = attempts.filter(isKeyRefused);
  return [...new Map(refused.map(({ credentialId, readAt }) => [credentialId, readAt]))].map(
    ([credentialId, readAt]) => ({ credentialId, readAt }),
  );
};
