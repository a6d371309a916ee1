/** A fault leads to another candidate only if the caller has received no part of the answer. */
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

/** Number of this isolate's streams that are read to their end after their callers have left. */
export interface AbandonedStreams {
  count: number;
}

export interface StreamDeps {
  providers: Pick<Providers, "stream">;
  limits: StreamLimits;
  abandonedStreams: AbandonedStreams;
  elapsed: () => number;
  after: (ms: number, act: () => void) => () => void;
}

/** Who reads the stream, and two signals that end it: the caller has left, or the router aborts with its own reason. */
export interface StreamCall {
  reader: StreamReader | null;
  caller: AbortSignal;
  router: AbortSignal;
}

interface Delivery {
  take: (part: StreamPart) => Promise<void>;
  /** Whether the reader has no room for more parts. The provider may then have written more than was read. */
  isWaiting(): boolean;
  firstContentMs(): number | null;
  clear(): void;
}

function createDelivery(
  { limits, after, elapsed }: StreamDeps,
  {
    request,
    reader,
    isAborted,
    bill,
    clock,
    onFirstDelivery,
  }: {
    request: ProviderRequest;
    reader: StreamReader | null;
    isAborted: () => boolean;
    bill: StreamBill;
    clock: StreamClock;
    onFirstDelivery: () => void;
  },
): Delivery {
  const began = elapsed();
  let isWaiting = false;
  let firstContentMs: number | null = null;
  let hasBegun = false;
  const deliver = async (parts: readonly StreamPart[]): Promise<void> => {
    if (reader === null || parts.length === 0 || isAborted()) return;
    if (!hasBegun) {
      hasBegun = true;
      onFirstDelivery();
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
  // Parts that the timer released are delivered before later parts.
  let released = Promise.resolve();
  const held = createHeldParts({ limits, after }, (parts) => {
    released = deliver(parts);
  });
  return {
    async take(part) {
      clock.pause();
      bill.add(part);
      if (!isLifecycle(part)) {
        clock.begun();
        if (part.type !== "hidden") firstContentMs ??= elapsed() - began;
      }
      await released;
      await deliver(held.add(part));
      clock.resume();
    },
    isWaiting: () => isWaiting,
    firstContentMs: () => firstContentMs,
    clear: held.clear,
  };
}

const cancelledFault = (
  fault: ProviderFault | null,
  usage: ProviderFault["usage"],
): ProviderFault => ({
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
  const { providers, limits, abandonedStreams, elapsed } = deps;
  const calledAt = elapsed();
  let isGivenOut = false;
  let end: StreamEnd | null = null;
  let model: Model | null = null;

  const watchAborts = (clock: StreamClock, delivery: Delivery, bill: StreamBill) => {
    let wasWaiting = false;
    let isReadToEnd = false;
    const onCallerAbort = (): void => {
      wasWaiting = delivery.isWaiting();
      isReadToEnd =
        !router.aborted && bill.mayHide() && abandonedStreams.count < limits.maxReadToEnd;
      if (!isReadToEnd) return clock.stop();
      abandonedStreams.count += 1;
      clock.endIn(limits.readOnMs);
    };
    const onRouterAbort = (): void => clock.stop();
    caller.addEventListener("abort", onCallerAbort, { once: true });
    router.addEventListener("abort", onRouterAbort, { once: true });
    if (router.aborted) onRouterAbort();
    else if (caller.aborted) onCallerAbort();
    return {
      estimate: () =>
        bill.mayHide() || wasWaiting || delivery.firstContentMs() === null ? null : bill.estimate(),
      stop() {
        caller.removeEventListener("abort", onCallerAbort);
        router.removeEventListener("abort", onRouterAbort);
        if (isReadToEnd) abandonedStreams.count -= 1;
      },
    };
  };

  return {
    async attempt(request, timeoutMs) {
      model = request.model;
      const clock = createStreamClock(deps, { calledAt, firstMs: timeoutMs });
      const bill = createStreamBill(request);
      const isAborted = (): boolean => caller.aborted || router.aborted;
      const onFirstDelivery = (): void => void (isGivenOut = true);
      const delivery = createDelivery(deps, {
        request,
        reader,
        isAborted,
        bill,
        clock,
        onFirstDelivery,
      });
      const aborts = watchAborts(clock, delivery, bill);
      const { signal } = clock;
      const answer = await providers
        .stream({ ...request, signal }, delivery.take)
        .finally(() => [clock, delivery].forEach((each) => each.clear()));
      aborts.stop();
      const firstMs = delivery.firstContentMs();
      if (!isAborted()) {
        if (answer.ok) {
          end = { firstMs, status: "complete" };
          return answer;
        }
        end = {
          firstMs,
          status: "interrupted",
          interruptedBy: clock.isSpent() ? "router" : "provider",
        };
        // After content, the provider may bill the call, even if its error looks like a refusal.
        return firstMs === null ? answer : err({ ...answer.error, billed: "maybe" });
      }
      end = { firstMs, status: "interrupted", interruptedBy: router.aborted ? "router" : "client" };
      if (answer.ok) return err(cancelledFault(null, answer.value.usage));
      if (answer.error.billed === "no") return err(cancelledFault(answer.error, null));
      return err(cancelledFault(answer.error, answer.error.usage ?? aborts.estimate()));
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
