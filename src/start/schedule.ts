import { printable } from "../domain/printable.ts";

/** ms after which the next run may start */
export const longestRunMs = 60_000;

/** ms between runs while a job is behind */
const behindMs = 1_000;

type RunJobs = () => Promise<boolean | void>;

async function tick(
  runJobs: RunJobs,
  log: (line: string) => void,
): Promise<"done" | "behind" | "failed"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no end after ${longestRunMs / 1000} s`)),
      longestRunMs,
    );
  });
  try {
    return (await Promise.race([runJobs(), late])) === true ? "behind" : "done";
  } catch (cause) {
    log(
      `The scheduled jobs failed: ${printable(cause instanceof Error ? cause.message : String(cause))}`,
    );
    return "failed";
  } finally {
    clearTimeout(timer);
  }
}

/** Runs now, then `seconds` after each end, sooner while behind. Returns a function that stops it. */
export function startSchedule(
  runJobs: RunJobs,
  options: {
    seconds: number;
    log: (line: string) => void;
    ran?: (isDone: boolean) => void;
  },
): () => void {
  const { seconds, log, ran } = options;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const run = async (): Promise<void> => {
    const end = await tick(runJobs, (line) => {
      if (!stopped) log(line);
    });
    if (stopped) return;
    ran?.(end !== "failed");
    const pauseMs = end === "behind" ? Math.min(behindMs, seconds * 1000) : seconds * 1000;
    timer = setTimeout(() => void run(), pauseMs);
  };
  void run();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
