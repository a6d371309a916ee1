/** A clock that moves when everything waits for it. */
export function createClock() {
  let time = 0;
  let timers: { at: number; act: () => void }[] = [];
  const after = (ms: number, act: () => void): (() => void) => {
    const timer = { at: time + ms, act };
    timers.push(timer);
    return () => void (timers = timers.filter((each) => each !== timer));
  };
  const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    elapsed: () => time,
    after,
    armed: () => timers.length,
    /** Waits so long, or until the signal is aborted. */
    wait: (ms: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const stop = after(ms, resolve);
        signal.addEventListener("abort", () => {
          stop();
          resolve();
        });
      }),
    never: (): Promise<never> => new Promise(() => {}),
    /** Moves from timer to timer until the work is done. */
    async run<T>(work: Promise<T>): Promise<T> {
      let isDone = false;
      const done = work.finally(() => (isDone = true));
      for (;;) {
        await idle();
        if (isDone) return done;
        const [next] = timers.toSorted((a, b) => a.at - b.at);
        if (next === undefined) throw new Error("everything waits, and no timer is armed");
        timers = timers.filter((each) => each !== next);
        time = next.at;
        next.act();
      }
    },
  };
}
