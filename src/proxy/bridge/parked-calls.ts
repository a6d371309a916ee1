/**
 * Calls of modern clients that wait at a legacy server for their client's answer. Their connections belong to this process,
 * which decides about every answer, wherever it arrives. A call is never repeated, because it may have run.
 */
import type { Refusal } from "../../domain/refusals.ts";
import type { Exchange } from "../exchange.ts";

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
  /** its session's */
  id: string;
  tenantId: string;
  /** Number of the last round; 0: the call itself. */
  round(): number;
  /** null: the client has left. The last one that leaves before the outcome ends the call. */
  outcomeOf(round: number, gone: AbortSignal): Promise<ParkedOutcome | null>;
  /** Ends a round, and unless the call is over, begins the next. @returns the client's answer */
  conclude(outcome: ParkedOutcome): Promise<string>;
  /** False: not the open question, or another answer to it was taken. */
  answer(round: number, given: { digest: string; text: string }): boolean;
  /** Delays the end of the session until another process can read the outcome. */
  endsAfter(work: Promise<unknown>): void;
  /** Removes the call. Resolves when the work of `endsAfter` has ended. */
  end(): Promise<unknown>;
}

const newRound = (): Round => ({
  digest: null,
  answer: Promise.withResolvers<string>(),
  outcome: Promise.withResolvers<ParkedOutcome>(),
});

/** Signals that also abort with `drains`. `AbortSignal.any` would leave an entry in `drains` for each call. */
function createWaits(drains: AbortSignal | undefined) {
  const waits = new Set<AbortController>();
  const endAll = (): void => {
    for (const wait of waits) wait.abort();
    waits.clear();
  };
  drains?.addEventListener("abort", endAll, { once: true });
  return (signal: AbortSignal): AbortSignal => {
    if (drains === undefined || signal.aborted) return signal;
    if (drains.aborted) return drains;
    const wait = new AbortController();
    waits.add(wait);
    const end = (): void => {
      waits.delete(wait);
      wait.abort();
    };
    signal.addEventListener("abort", end, { once: true });
    return wait.signal;
  };
}

/**
 * @param deps `epoch` names this process; `patienceMs`: for which a call waits for its client; `drains`: ends all waits;
 * `processes`: whether answers can arrive in others
 */
export function createParkedCalls(deps: {
  epoch: string;
  patienceMs: number;
  processes: "one" | "several";
  drains?: AbortSignal;
}) {
  const { drains } = deps;
  const calls = new Map<string, ParkedCall>();
  let lastEnded = new AbortController();
  const endsWith = createWaits(drains);

  return {
    epoch: deps.epoch,
    patienceMs: deps.patienceMs,
    processes: deps.processes,
    /** Aborts when a call stops waiting for its client. */
    waitsUntil: endsWith,
    find: (id: string, tenantId: string): ParkedCall | null => {
      const call = calls.get(id);
      return call?.tenantId === tenantId ? call : null;
    },
    /** ids by tenant */
    byTenant(): Map<string, string[]> {
      const ids = new Map<string, string[]>();
      for (const { id, tenantId } of calls.values())
        ids.set(tenantId, [...(ids.get(tenantId) ?? []), id]);
      return ids;
    },
    begin(
      { id, tenantId }: Pick<ParkedCall, "id" | "tenantId">,
      abandoned: () => void,
    ): ParkedCall {
      const rounds: Round[] = [newRound()];
      const pending: Promise<unknown>[] = [];
      let waiting = 0;
      const last = (): Round => rounds.at(-1) ?? newRound();
      const call: ParkedCall = {
        id,
        tenantId,
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
        endsAfter: (work) => void pending.push(work),
        end() {
          calls.delete(id);
          if (calls.size === 0) lastEnded.abort();
          return Promise.all(pending);
        },
      };
      return call;
    },
    /** Keeps a call for its client. @returns for the first call: until when calls are kept */
    keep(call: ParkedCall): AbortSignal | null {
      const isFirst = calls.size === 0;
      calls.set(call.id, call);
      if (!isFirst) return null;
      lastEnded = new AbortController();
      return endsWith(lastEnded.signal);
    },
  };
}

export type ParkedCalls = ReturnType<typeof createParkedCalls>;

/**
 * Sends a client's request to the object that keeps its call, where an invocation ends with its response.
 * @param to `owner` is the call's epoch; null: a new object
 */
export type ForwardParked = (
  exchange: Pick<Exchange, "bytes" | "caller" | "headers" | "server">,
  to: { owner: string | null; gone: AbortSignal },
) => Promise<Response>;

export type Parking = { calls: ParkedCalls } | { forward: ForwardParked };
