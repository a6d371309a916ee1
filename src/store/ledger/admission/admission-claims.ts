/** Claims of an admission in the order in which they are tried, with their columns. */
import { compactDecision } from "../../../domain/choice/decision.ts";
import type { Claim, LesserClaim, Reservation } from "../../../domain/ports/ledger.ts";

export const claimsOf = (reservation: Reservation): LesserClaim[] => {
  const { decision, holds, reservedTokens, reservedMicroUsd, lesser } = reservation;
  return [{ decision, holds, reservedTokens, reservedMicroUsd }, ...lesser];
};

export const claimColumns = ({ decision, holds, reservedTokens, reservedMicroUsd }: Claim) => ({
  decision: compactDecision(decision),
  model: `${decision.provider}/${decision.model}`,
  holds,
  reservedTokens,
  reservedMicroUsd,
});
