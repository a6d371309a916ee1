/** Whether a bearer token is the operator's. Whoever guesses is slowed down, by network, and not told whether a guess is right. */
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";

export type IsOperatorToken = (shown: { token: string; address: string }) => AsyncResult<boolean>;

export const createOperatorToken =
  (deps: {
    isOperator: (token: string) => Promise<boolean>;
    /** whether the text is made like an API key or an access token, and so is no guess */
    isOther: (token: string) => boolean;
    throttle: SignInThrottle;
  }): IsOperatorToken =>
  async ({ token, address }) => {
    const isRight = await deps.isOperator(token);
    if (!isRight && deps.isOther(token)) return ok(false);
    // Nothing is awaited from here: tries at once are counted one by one, and right ones never keep each other waiting.
    const turn = deps.throttle.begin({ address, subject: null });
    if (!turn.ok) return turn;
    if (isRight) turn.value.succeeded();
    return ok(isRight);
  };
