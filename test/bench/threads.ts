/** CPU of a process by its threads, by the names that the system has of them. */
import { readdirSync, readFileSync } from "node:fs";

/** Linux counts in hundredths of a second, on every machine that Node runs on. */
const tickMs = 10;

/** ms of CPU since the start of each; empty where there is no `/proc`. */
export function threadCpuMs(pids: readonly number[]): Map<string, number> {
  const spent = new Map<string, number>();
  if (process.platform !== "linux") return spent;
  for (const pid of pids)
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
      const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const label = Number(thread) === pid ? `${name}, main` : name;
      const ms = (Number(fields[11]) + Number(fields[12])) * tickMs;
      spent.set(label, (spent.get(label) ?? 0) + ms);
    }
  return spent;
}
