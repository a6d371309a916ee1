/** `AbortSignal.any` with `AbortSignal.timeout` took 70 µs per call on Node. */
export function signalUntil(
  signal: AbortSignal,
  { ms, after }: { ms: number; after: (ms: number, act: () => void) => () => void },
): { signal: AbortSignal; stop: () => void } {
  const ending = new AbortController();
  const end = (): void => ending.abort(signal.reason);
  if (signal.aborted) end();
  else signal.addEventListener("abort", end);
  const disarm = after(ms, () =>
    ending.abort(new DOMException("The deadline has passed.", "TimeoutError")),
  );
  return {
    signal: ending.signal,
    stop() {
      disarm();
      signal.removeEventListener("abort", end);
    },
  };
}
