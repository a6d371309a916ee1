/** Until the first content has been given out, a fault leads to another candidate. */
import type { ProviderFault, StreamEnd } from "../../../domain/attempts.ts";
import { nameOf, type Model } from "../../../domain/models/model.ts";
import { err } from "../../../domain/result.ts";
import type { ProviderRequest, Providers } from "../../../domain/sampling/providers.ts";
import {
  isLifecycle,
  type StreamPart,
  type StreamReader,
} from "../../../domain/sampling/stream-parts.ts";
import type { AttemptStreams } from "../attempts/attempt-streams.ts";
import { createHeldParts } from "./held-parts.ts";
import { createStreamBill, type StreamBill } from "./stream-bill.ts";
import { createStreamClock, type StreamClock } from "./stream-clock.ts";
import type { StreamLimits } from "./stream-limits.ts";

export interface StreamAttempts extends AttemptStreams {
  model(): Model | null;
}

/** Streams that are read to their end though their callers have left, in this isolate. */
export interface ReadingOn {
  count: number;
}

export interface StreamDeps {
  providers: Pick<Providers, "stream">;
  limits: StreamLimits;
  readingOn: ReadingOn;
  elapsed: () => number;
  after: (ms: number, act: () => void) => () => void;
}

/** Who reads, and what ends the reading: the caller's leaving, or the router, which gives a reason of its own. */
export interface StreamCall {
  reader: StreamReader | null;
  caller: AbortSignal;
  router: AbortSignal;
}

interface Giving {
  take: (part: StreamPart) => Promise<void>;
  /** The reader has no room, so the provider may have written more than was read. */
  isWaiting(): boolean;
  firstMs(): number | null;
  clear(): void;
}

function createGiving(
  { limits, after, elapsed }: StreamDeps,
  {
    request,
    reader,
    isLeft,
    bill,
    clock,
    givenOut,
  }: {
    request: ProviderRequest;
    reader: StreamReader | null;
    isLeft: () => boolean;
    bill: StreamBill;
    clock: StreamClock;
    givenOut: () => void;
  },
): Giving {
  const began = elapsed();
  let isWaiting = false;
  let firstMs: number | null = null;
  let hasBegun = false;
  const give = async (parts: readonly StreamPart[]): Promise<void> => {
    if (reader === null || parts.length === 0 || isLeft()) return;
    if (!hasBegun) {
      hasBegun = true;
      givenOut();
      reader.begins({
        model: nameOf(request.model),
        inputTokens: bill.inputTokens(),
        passes: parts.some(({ type }) => type === "event"),
      });
    }
    isWaiting = true;
    for (const part of parts) await reader.take(part);
    isWaiting = false;
  };
  // What is released by the time comes before the parts that follow it.
  let released = Promise.resolve();
  const held = createHeldParts({ limits, after }, (parts) => {
    released = give(parts);
  });
  return {
    async take(part) {
      clock.pause();
      bill.add(part);
      if (!isLifecycle(part)) {
        clock.begun();
        if (part.type !== "hidden") firstMs ??= elapsed() - began;
      }
      await released;
      await give(held.add(part));
      clock.resume();
    },
    isWaiting: () => isWaiting,
    firstMs: () => firstMs,
    clear: held.clear,
  };
}

const left = (fault: ProviderFault | null, usage: ProviderFault["usage"]): ProviderFault => ({
  kind: "cancelled",
  status: fault?.status ?? null,
  retryable: false,
  retryAfterMs: null,
  billed: fault?.billed ?? "maybe",
  reach: "endpoint",
  usage,
});

export function createStreamAttempts(
  deps: StreamDeps,
  { reader, caller, router }: StreamCall,
): StreamAttempts {
  const { providers, limits, readingOn, elapsed } = deps;
  const calledAt = elapsed();
  let isGivenOut = false;
  let end: StreamEnd | null = null;
  let model: Model | null = null;

  const watch = (clock: StreamClock, giving: Giving, bill: StreamBill) => {
    let wasWaiting = false;
    let isReadOn = false;
    const leave = (): void => {
      wasWaiting = giving.isWaiting();
      isReadOn = !router.aborted && bill.mayHide() && readingOn.count < limits.maxReadToEnd;
      if (!isReadOn) return clock.stop();
      readingOn.count += 1;
      clock.endIn(limits.readOnMs);
    };
    const cut = (): void => clock.stop();
    caller.addEventListener("abort", leave, { once: true });
    router.addEventListener("abort", cut, { once: true });
    if (router.aborted) cut();
    else if (caller.aborted) leave();
    return {
      estimate: () =>
        bill.mayHide() || wasWaiting || giving.firstMs() === null ? null : bill.estimate(),
      stop() {
        caller.removeEventListener("abort", leave);
        router.removeEventListener("abort", cut);
        if (isReadOn) readingOn.count -= 1;
      },
    };
  };

  return {
    async attempt(request, timeoutMs) {
      model = request.model;
      const clock = createStreamClock(deps, { calledAt, firstMs: timeoutMs });
      const bill = createStreamBill(request);
      const isLeft = (): boolean => caller.aborted || router.aborted;
      const givenOut = (): void => void (isGivenOut = true);
      const giving = createGiving(deps, { request, reader, isLeft, bill, clock, givenOut });
      const watching = watch(clock, giving, bill);
      const { signal } = clock;
      const answer = await providers
        .stream({ ...request, signal }, giving.take)
        .finally(() => [clock, giving].forEach((each) => each.clear()));
      watching.stop();
      const firstMs = giving.firstMs();
      if (!isLeft()) {
        if (answer.ok) {
          end = { firstMs, status: "complete" };
          return answer;
        }
        end = {
          firstMs,
          status: "interrupted",
          interruptedBy: clock.isSpent() ? "router" : "provider",
        };
        // An error after content isn't a refusal, whatever it says.
        return firstMs === null ? answer : err({ ...answer.error, billed: "maybe" });
      }
      end = { firstMs, status: "interrupted", interruptedBy: router.aborted ? "router" : "client" };
      if (answer.ok) return err(left(null, answer.value.usage));
      if (answer.error.billed === "no") return err(left(answer.error, null));
      return err(left(answer.error, answer.error.usage ?? watching.estimate()));
    },
    isGivenOut: () => isGivenOut,
    takeEnd() {
      const taken = end;
      end = null;
      return taken;
    },
    model: () => model,
  };
}
