/** Orderly shutdown in reverse order. */

export interface Ending {
  add(step: () => unknown): void;
  /** Runs all steps, even after failures. Returns the errors. */
  run(): Promise<string[]>;
}

/** Removes a misleading prefix of `rmSync` on read-only file systems. */
const wordsOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message.replace(/^, Unknown error: /, "") : String(cause);

export function createEnding(): Ending {
  const steps: (() => unknown)[] = [];
  return {
    add: (step) => void steps.push(step),
    async run() {
      const faults: string[] = [];
      for (let step = steps.pop(); step !== undefined; step = steps.pop())
        try {
          await step();
        } catch (cause) {
          // Earlier steps must still run.
          faults.push(wordsOf(cause));
        }
      return faults;
    },
  };
}

/** ms within which npm repeats the terminal's Ctrl-C. */
const sameMs = 500;
const parentMs = 500;

/**
 * npm passes SIGTERM only to its shell, whose end would leave the router running. Only below npm: other parents
 * may exit on purpose.
 */
function whenNpmEnds(end: () => void): void {
  const parent = process.ppid;
  if (process.env["npm_lifecycle_event"] === undefined) return;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, parentMs).unref();
}

const listenForSignals = (received: () => void): void => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, received);
};

export interface SignalOptions {
  say: (line: string) => void;
  graceMs: () => number;
  listen?: (received: () => void) => void;
}

/**
 * Exits with 0, or 1 with a message; a second signal exits immediately. Returns whether a signal arrived, which
 * explains later errors.
 */
export function endOnSignals(
  ending: Ending,
  { say, graceMs, listen = listenForSignals }: SignalOptions,
): () => boolean {
  let first: number | null = null;
  const end = async (): Promise<void> => {
    say("Ending.");
    // miniflare's `exit` hook stops its runtime.
    setTimeout(() => process.exit(0), graceMs());
    const faults = await ending.run();
    for (const fault of faults) say(`Shutdown step failed: ${fault}`);
    process.exit(faults.length === 0 ? 0 : 1);
  };
  const received = (): void => {
    if (first === null) {
      first = performance.now();
      end().catch(() => process.exit(1));
    } else if (performance.now() - first > sameMs) process.exit(1);
  };
  listen(received);
  whenNpmEnds(() => {
    if (first === null) received();
  });
  return () => first !== null;
}

/** ms by which a busy process may receive a signal after its children's end. */
const signalLateMs = 300;

/**
 * Suppresses errors caused by a signal. Ctrl-C also ends the bundler and runtime, possibly before it arrives
 * here.
 */
export async function comesFromSignal(
  isEnding: () => boolean,
  wait: (ms: number) => Promise<void>,
): Promise<boolean> {
  if (!isEnding()) await wait(signalLateMs);
  return isEnding();
}
