/** Limits the concurrent calls of one server. */
import { err } from "../../domain/result.ts";
import { wireErrorOf, type SampleFor } from "./sampler.ts";

const maxRunning = 16;
/** Each waiting call holds its prompt in memory. */
const maxWaiting = 256;

export function createBoundedSample(sample: SampleFor): SampleFor {
  let running = 0;
  const waiting: (() => void)[] = [];
  const slot = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      const leave = (): void => {
        const at = waiting.indexOf(resolve);
        if (at !== -1) waiting.splice(at, 1);
        resolve();
      };
      signal.addEventListener("abort", leave, { once: true });
    });
  return async (params, options) => {
    if (running >= maxRunning) {
      if (waiting.length >= maxWaiting)
        return err(
          wireErrorOf({ reason: "rate_limited", limit: "proxy.sampling", retryAfterMs: 1_000 }),
        );
      await slot(options.signal);
      if (options.signal.aborted) {
        if (running < maxRunning) waiting.shift()?.();
        return err(wireErrorOf({ reason: "cancelled" }));
      }
    }
    running += 1;
    try {
      return await sample(params, options);
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}
