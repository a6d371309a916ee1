/** An attempt as recorded. */
import type { Attempt, ProviderFault } from "../../../domain/attempts.ts";
import type { ProviderAnswer } from "../../../domain/sampling/providers.ts";

export const unopenable: ProviderFault = {
  kind: "unopenable",
  status: null,
  retryable: true,
  retryAfterMs: null,
  billed: "no",
  reach: "credential",
  usage: null,
};

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
