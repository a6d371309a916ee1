/** The orderly end: what began last ends first. */

export interface Ending {
  add(step: () => unknown): void;
  /** Runs every step, also after one that fails. Gives what failed, in words. */
  run(): Promise<string[]>;
}

/** `rmSync` begins the message for a read-only file system with a code and a reason that it doesn't know. */
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
          // For example, the file system has become read-only: the steps before this one must still run.
          faults.push(wordsOf(cause));
        }
      return faults;
    },
  };
}

/** npm passes on the Ctrl-C that the terminal has sent to everybody already: that is one, not two. */
const sameMs = 500;
const parentMs = 500;

/**
 * npm runs a script in a shell, and passes a SIGTERM on to that shell alone. The shell dies, and the router
 * would stay behind with its port. This is for a router below npm only: elsewhere a parent may leave on
 * purpose.
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
  /** the longest that the end may take */
  graceMs: () => number;
  /** absent: nobody listens yet */
  listen?: (received: () => void) => void;
}

/**
 * Ctrl-C and its like end the process with 0, or with 1 after a line that says why; a second signal ends it at once. The answer says whether a signal
 * came, because what fails after a signal fails because of the signal.
 */
export function endOnSignals(
  ending: Ending,
  { say, graceMs, listen = listenForSignals }: SignalOptions,
): () => boolean {
  let first: number | null = null;
  const end = async (): Promise<void> => {
    say("Ending.");
    // miniflare's hook on `exit` ends a runtime that is still there.
    setTimeout(() => process.exit(0), graceMs());
    const faults = await ending.run();
    for (const fault of faults) say(`This step of the end failed: ${fault}`);
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

/** A busy start hears of its children's end this much earlier than of the signal that ended them. */
const signalLateMs = 300;

/**
 * Whether a fault is kept quiet: what fails after a signal fails because of the signal. A terminal sends Ctrl-C
 * to the bundler and the runtime too, so their end may come first.
 */
export async function comesFromSignal(
  isEnding: () => boolean,
  wait: (ms: number) => Promise<void>,
): Promise<boolean> {
  if (!isEnding()) await wait(signalLateMs);
  return isEnding();
}
