/**
 * Calls of modern clients that wait at a legacy server for their client's answer. The connection belongs to this process: an
 * answer that arrives in another one, or after a restart, finds no call. The call is never repeated, because it may have run.
 */
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";

/** Parked calls at a time. */
export const maxParked = { perKey: 20, perTenant: 200 } as const;

export type ParkedOutcome =
  /** the server's question: the params of its request, JSON text */
  | { kind: "asks"; params: string }
  /** the server's answer to the call, for the client, JSON text */
  | { kind: "answer"; text: string }
  | { kind: "refused"; refusal: Refusal };

/** An answer to a question, and what came of it. */
interface Round {
  digest: string | null;
  answer: PromiseWithResolvers<string>;
  outcome: PromiseWithResolvers<ParkedOutcome>;
}

export interface ParkedCall {
  id: string;
  /** Number of the last round; 0: the call itself. */
  round(): number;
  /** null: the client has left. The last one that leaves before the outcome ends the call. */
  outcomeOf(round: number, gone: AbortSignal): Promise<ParkedOutcome | null>;
  /** Ends a round, and unless the call is over, begins the next. @returns the client's answer */
  conclude(outcome: ParkedOutcome): Promise<string>;
  /** False: not the open question, or another answer to it was taken. */
  answer(round: number, given: { digest: string; text: string }): boolean;
  end(): void;
}

type Whose = { tenantId: string; keyId: string };

const newRound = (): Round => ({
  digest: null,
  answer: Promise.withResolvers<string>(),
  outcome: Promise.withResolvers<ParkedOutcome>(),
});

/** @param deps `epoch` names this process; `patienceMs`: for which a call waits for its client; `drains`: ends all waits */
export function createParkedCalls(deps: {
  epoch: string;
  patienceMs: number;
  drains?: AbortSignal;
}) {
  const { epoch, patienceMs, drains } = deps;
  const calls = new Map<string, { call: ParkedCall; whose: Whose }>();
  const countOf = (isCounted: (whose: Whose) => boolean): number =>
    [...calls.values()].filter(({ whose }) => isCounted(whose)).length;

  const fullFor = ({ tenantId, keyId }: Whose): Refusal | null => {
    const full = (limit: string): Refusal => ({
      reason: "rate_limited",
      limit,
      retryAfterMs: null,
    });
    if (countOf((whose) => whose.keyId === keyId) >= maxParked.perKey)
      return full("key.parkedCalls");
    return countOf((whose) => whose.tenantId === tenantId) >= maxParked.perTenant
      ? full("tenant.parkedCalls")
      : null;
  };

  return {
    epoch,
    patienceMs,
    /** Aborts when a call stops waiting for its client. */
    waitsUntil: (stop: AbortSignal): AbortSignal =>
      drains === undefined ? stop : AbortSignal.any([stop, drains]),
    find: (id: string): ParkedCall | null => calls.get(id)?.call ?? null,
    count: () => calls.size,
    begin(id: string, abandoned: () => void): ParkedCall {
      const rounds: Round[] = [newRound()];
      let waiting = 0;
      const last = (): Round => rounds.at(-1) ?? newRound();
      const call: ParkedCall = {
        id,
        round: () => rounds.length - 1,
        async outcomeOf(round, gone) {
          const outcome = rounds[round]?.outcome.promise ?? null;
          const { promise: left, resolve: leave } = Promise.withResolvers<null>();
          const leaves = (): void => leave(null);
          gone.addEventListener("abort", leaves);
          if (gone.aborted) leaves();
          waiting += 1;
          const ended = await Promise.race([outcome, left]);
          waiting -= 1;
          gone.removeEventListener("abort", leaves);
          if (ended === null && waiting === 0) abandoned();
          return ended;
        },
        conclude(outcome) {
          const { answer, outcome: awaited } = last();
          awaited.resolve(outcome);
          return answer.promise;
        },
        answer(round, { digest, text }) {
          const known = rounds[round];
          if (known !== undefined) return known.digest === digest;
          if (round !== rounds.length) return false;
          const before = last();
          rounds.push({ ...newRound(), digest });
          before.answer.resolve(text);
          return true;
        },
        end: () => void calls.delete(id),
      };
      return call;
    },
    /** Keeps a call for its client. */
    park(call: ParkedCall, whose: Whose): Result<null, Refusal> {
      if (calls.has(call.id)) return ok(null);
      const refusal = fullFor(whose);
      if (refusal !== null) return err(refusal);
      calls.set(call.id, { call, whose });
      return ok(null);
    },
  };
}

export type ParkedCalls = ReturnType<typeof createParkedCalls>;
