/** The scheduled jobs: neither a process nor the local Workers runtime fires them by itself. */

/** ms. Ticks follow each other, so one that hangs must not be the last one. */
export const longestRunMs = 60_000;

/** @returns whether the jobs ran */
async function tick(runJobs: () => Promise<void>, log: (line: string) => void): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no end after ${longestRunMs / 1000} s`)),
      longestRunMs,
    );
  });
  try {
    await Promise.race([runJobs(), late]);
    return true;
  } catch (cause) {
    log(`The scheduled jobs failed: ${cause instanceof Error ? cause.message : String(cause)}`);
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** Once now, and again `seconds` after each one's end. Call the answer to stop. */
export function startSchedule(
  runJobs: () => Promise<void>,
  options: {
    seconds: number;
    log: (line: string) => void;
    /** told after each run */
    ran?: (isDone: boolean) => void;
  },
): () => void {
  const { seconds, log, ran } = options;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const run = async (): Promise<void> => {
    const isDone = await tick(runJobs, (line) => {
      if (!stopped) log(line);
    });
    if (stopped) return;
    ran?.(isDone);
    timer = setTimeout(() => void run(), seconds * 1000);
  };
  void run();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
