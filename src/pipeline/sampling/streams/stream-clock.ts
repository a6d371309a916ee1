/** The time limits of one stream: each is a wait for the provider, so a slow reader uses up none of them but the last. */
import type { StreamLimits } from "./stream-limits.ts";

export interface StreamClock {
  signal: AbortSignal;
  pause(): void;
  resume(): void;
  /** Content has come: from now on, only silence ends the wait. */
  begun(): void;
  endIn(ms: number): void;
  stop(): void;
  isSpent(): boolean;
  clear(): void;
}

const timedOut = (): DOMException => new DOMException("The deadline has passed.", "TimeoutError");

export function createStreamClock(
  {
    limits,
    elapsed,
    after,
  }: {
    limits: Pick<StreamLimits, "silenceMs" | "totalMs">;
    elapsed: () => number;
    after: (ms: number, act: () => void) => () => void;
  },
  { calledAt, firstMs }: { calledAt: number; firstMs: number },
): StreamClock {
  const ending = new AbortController();
  const firstUntil = elapsed() + firstMs;
  const totalUntil = calledAt + limits.totalMs;
  let hasBegun = false;
  let disarm = (): void => {};
  const expire = (): void => ending.abort(timedOut());
  const disarmTotal = after(Math.max(1, totalUntil - elapsed()), expire);
  let disarmEnd = (): void => {};
  const clock: StreamClock = {
    signal: ending.signal,
    pause: () => disarm(),
    resume() {
      disarm();
      const ms = hasBegun ? limits.silenceMs : Math.max(1, firstUntil - elapsed());
      disarm = after(ms, expire);
    },
    begun: () => void (hasBegun = true),
    endIn: (ms) => void (disarmEnd = after(ms, expire)),
    stop: () => ending.abort(new DOMException("The reader has left.", "AbortError")),
    isSpent: () => elapsed() >= totalUntil,
    clear() {
      disarm();
      disarmTotal();
      disarmEnd();
    },
  };
  clock.resume();
  return clock;
}
