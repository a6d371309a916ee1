/**
 * CPU time of processes: what a request costs, which other programs on the machine disturb far less
 * than they disturb the time that it takes.
 */
import { readFileSync } from "node:fs";

/** Linux counts in hundredths of a second, on every machine that Node runs on. */
const tickMs = 10;

/** ms of CPU, user and system, since their start; null where there is no `/proc`. */
export function cpuMsOf(pids: readonly number[]): number | null {
  if (process.platform !== "linux") return null;
  let ticks = 0;
  for (const pid of pids) {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold spaces; the fields are counted after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * tickMs;
}
