/**
 * Writes log lines some at a time. Each write is a call of the system that the one thread of JavaScript waits for, and
 * a server at work has several lines within the time that a person calls "at once".
 */

export interface LogWriter {
  write(line: string): void;
  /** Writes what waits: before the process ends, and before what has to stand after these lines. */
  flush(): void;
}

/** ms that a line waits for others. */
const gatherMs = 10;
/** A burst is written without waiting, so that the waiting lines stay small. */
const mostWaiting = 64;

export function createLogWriter(deps: {
  /** takes whole lines */
  write: (lines: string) => void;
  /** Acts after so many ms, unless the function that it gives is called before. */
  after: (ms: number, act: () => void) => () => void;
}): LogWriter {
  const { write, after } = deps;
  let waiting: string[] = [];
  let stopWaiting = (): void => {};
  const flush = (): void => {
    stopWaiting();
    stopWaiting = () => {};
    if (waiting.length === 0) return;
    const lines = waiting;
    waiting = [];
    write(`${lines.join("\n")}\n`);
  };
  return {
    flush,
    write(line) {
      waiting.push(line);
      if (waiting.length === 1) stopWaiting = after(gatherMs, flush);
      if (waiting.length >= mostWaiting) flush();
    },
  };
}
