import { compactDecision } from "../../../domain/choice/decision.ts";
import type { Claim, FallbackClaim, Reservation } from "../../../domain/ports/ledger.ts";

export const claimsOf = (reservation: Reservation): FallbackClaim[] => {
  const { decision, limitChecks, reservedTokens, reservedMicroUsd, fallbacks } = reservation;
  return [{ decision, limitChecks, reservedTokens, reservedMicroUsd }, ...fallbacks];
};

export const claimColumns = ({
  decision,
  limitChecks,
  reservedTokens,
  reservedMicroUsd,
}: Claim) => ({
  decision: compactDecision(decision),
  model: `${decision.provider}/${decision.model}`,
  limitChecks,
  reservedTokens,
  reservedMicroUsd,
});
