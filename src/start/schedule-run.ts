import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const run = z.object({
  /** ms since the epoch */
  at: z.number(),
  ok: z.boolean(),
});
export type ScheduleRun = z.infer<typeof run>;

const pathIn = (stateDir: string): string => join(stateDir, "schedule.json");

export function readScheduleRun(stateDir: string): ScheduleRun | null {
  try {
    return run.parse(JSON.parse(readFileSync(pathIn(stateDir), "utf8")));
  } catch {
    return null;
  }
}

/** Ignores a full disk, which the log reports. */
export function noteScheduleRun(stateDir: string, noted: ScheduleRun): void {
  const whole = `${pathIn(stateDir)}.${process.pid}`;
  try {
    writeFileSync(whole, `${JSON.stringify(noted)}\n`, { mode: 0o600 });
    renameSync(whole, pathIn(stateDir));
  } catch {
    // Ignores a full disk, which the log reports.
  }
}
