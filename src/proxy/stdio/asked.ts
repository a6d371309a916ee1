/** Sampling requests of servers before 2026-07-28: each is answered when the router has answered it. */
import { err } from "../../domain/result.ts";
import { idKey, idTextIn, type Part } from "./line.ts";
import { errorText, resultText, wireErrorOf, type SampleFor } from "./sampler.ts";

export interface AskedRequests {
  take(part: Part): void;
  /** Cancels a request, which gets no answer. False if none with that id is running. */
  cancel(id: string): boolean;
  end(): void;
}

export function createAskedRequests(deps: {
  sample: SampleFor;
  toServer: (text: string) => void;
  report: (thrown: unknown) => void;
}): AskedRequests {
  const { sample, toServer, report } = deps;
  /** A server may use one id twice, and cancels both requests by it. */
  const running = new Set<{ id: string; ending: AbortController }>();

  const answer = async ({ text, message }: Part): Promise<void> => {
    if (message.kind !== "request") return;
    const idText = idTextIn(text);
    const ending = new AbortController();
    const entry = { id: idKey(message.id), ending };
    running.add(entry);
    const answered = await sample(message.params, { signal: ending.signal }).catch(
      (thrown: unknown) => {
        report(thrown);
        return err(wireErrorOf({ reason: "internal" }));
      },
    );
    running.delete(entry);
    if (ending.signal.aborted) return;
    toServer(answered.ok ? resultText(idText, answered.value) : errorText(idText, answered.error));
  };

  return {
    take: (part) => void answer(part),
    cancel(id) {
      const named = [...running].filter((entry) => entry.id === id);
      for (const entry of named) {
        entry.ending.abort();
        running.delete(entry);
      }
      return named.length > 0;
    },
    end() {
      for (const { ending } of running) ending.abort();
      running.clear();
    },
  };
}
