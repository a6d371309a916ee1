/**
 * Batches log lines, since each write blocks the thread. The first line after a pause is written immediately,
 * so a killed process loses only its last moments.
 */

export interface LogWriter {
  write(line: string): void;
  flush(): void;
}

/** ms to batch after a write. */
const gatherMs = 10;
const maxWaiting = 64;

export function createLogWriter(deps: {
  write: (lines: string) => void;
  /** Returns a function that cancels the timer. */
  after: (ms: number, act: () => void) => () => void;
}): LogWriter {
  const { write, after } = deps;
  let waiting: string[] = [];
  /** `null` after a pause */
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
      } else if (waiting.length >= maxWaiting) writeWaiting();
    },
  };
}
