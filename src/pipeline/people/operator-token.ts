/** Verifies the operator's token. Guesses are throttled by network, without revealing whether one was right. */
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";

export type IsOperatorToken = (shown: { token: string; address: string }) => AsyncResult<boolean>;

export const createOperatorToken =
  (deps: {
    isOperator: (token: string) => Promise<boolean>;
    /** an API key or access token, and so no guess */
    isOther: (token: string) => boolean;
    throttle: SignInThrottle;
  }): IsOperatorToken =>
  async ({ token, address }) => {
    const isRight = await deps.isOperator(token);
    if (!isRight && deps.isOther(token)) return ok(false);
    // Synchronous from here: concurrent attempts are counted one by one.
    const attempt = deps.throttle.begin({ address, subject: null });
    if (!attempt.ok) return attempt;
    if (isRight) attempt.value.succeeded();
    return ok(isRight);
  };
