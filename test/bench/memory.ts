/** Memory of processes, as the system counts it. */
import { readFileSync } from "node:fs";

const kibPerMib = 1_024;

/** MiB that are resident; null where there is no `/proc`. */
export function memoryMibOf(pids: readonly number[]): number | null {
  if (process.platform !== "linux") return null;
  let kib = 0;
  for (const pid of pids)
    kib += Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  return kib / kibPerMib;
}
