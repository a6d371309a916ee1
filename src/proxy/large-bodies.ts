/** Checks before a large body is read whether its caller may send one. */
import type { ClientMessage } from "../domain/ports/client-message.ts";
import type { Refusal } from "../domain/refusals.ts";
import { ok, type Result } from "../domain/result.ts";
import { declaredBytes, maxBodyBytes, needsKnownCaller } from "../mcp/body.ts";
import type { Authenticate, Claim } from "../pipeline/callers/authenticate.ts";
import type { BodyAllowance } from "../pipeline/callers/body-allowance.ts";

export interface LargeBodyServices {
  authenticate: Authenticate;
  bodyAllowance: BodyAllowance;
}

/** @returns what keeps the body from counting against its key, once it turns out useful */
export async function admitBody(
  { authenticate, bodyAllowance }: LargeBodyServices,
  request: Pick<ClientMessage, "headers" | "body">,
  claim: Claim,
): Promise<Result<() => void, Refusal>> {
  if (!needsKnownCaller(request)) return ok(() => {});
  const known = await authenticate(claim, "memory");
  if (!known.ok) return known;
  return bodyAllowance.take(
    known.value.snapshot.key.id,
    Math.min(declaredBytes(request) ?? maxBodyBytes, maxBodyBytes),
  );
}
