import type { ProviderFault, StreamEnd } from "../../../domain/attempts.ts";
import type { Result } from "../../../domain/result.ts";
import type { ProviderAnswer, ProviderRequest } from "../../../domain/sampling/providers.ts";

export interface AttemptStreams {
  attempt(
    request: ProviderRequest,
    timeoutMs: number,
  ): Promise<Result<ProviderAnswer, ProviderFault>>;
  /** The caller has part of an answer, so no other model may answer. */
  isGivenOut(): boolean;
  /** How the last attempt's stream ended; null: it had none. Returned once. */
  takeEnd(): StreamEnd | null;
}
