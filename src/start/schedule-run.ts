/** When the scheduled jobs last ran, for `doctor`: a file of the state directory, since nothing else tells. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const run = z.object({
  /** ms since the epoch: when it ended */
  at: z.number(),
  ok: z.boolean(),
});
export type ScheduleRun = z.infer<typeof run>;

const pathIn = (stateDir: string): string => join(stateDir, "schedule.json");

/** null: there was none, or what is there is no such file. */
export function readScheduleRun(stateDir: string): ScheduleRun | null {
  try {
    return run.parse(JSON.parse(readFileSync(pathIn(stateDir), "utf8")));
  } catch {
    return null;
  }
}

/** A disk that is full fails no job. */
export function noteScheduleRun(stateDir: string, noted: ScheduleRun): void {
  const whole = `${pathIn(stateDir)}.${process.pid}`;
  try {
    writeFileSync(whole, `${JSON.stringify(noted)}\n`, { mode: 0o600 });
    renameSync(whole, pathIn(stateDir));
  } catch {
    // The log says what the disk lacks.
  }
}
