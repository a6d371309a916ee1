/**
 * Writes log lines some at a time. Each write is a call of the system that the one thread of JavaScript waits for. A line
 * after a quiet moment is written at once, so a process that is killed loses lines only of the last moment of its work.
 */

export interface LogWriter {
  write(line: string): void;
  /** Writes what waits: before the process ends, and before what has to stand after these lines. */
  flush(): void;
}

/** ms after a write in which lines wait for others. */
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
  /** null: nothing was written lately */
  let stopGathering: (() => void) | null = null;
  const writeWaiting = (): void => {
    if (waiting.length === 0) return;
    const lines = waiting;
    waiting = [];
    write(`${lines.join("\n")}\n`);
  };
  const gather = (): void => {
    stopGathering = after(gatherMs, () => {
      stopGathering = null;
      if (waiting.length === 0) return;
      writeWaiting();
      gather();
    });
  };
  return {
    flush() {
      stopGathering?.();
      stopGathering = null;
      writeWaiting();
    },
    write(line) {
      waiting.push(line);
      if (stopGathering === null) {
        writeWaiting();
        gather();
      } else if (waiting.length >= mostWaiting) writeWaiting();
    },
  };
}
