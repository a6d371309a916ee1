import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const graceMs = 2_000;
const pollMs = 20;

function linuxPids(program: string): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^[0-9]+$/.test(entry))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(`${program}\0`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

function otherPids(program: string): number[] {
  const listed = execFileSync("ps", ["-A", "-ww", "-o", "pid=,command="], { encoding: "utf8" });
  return listed
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.replace(/^[0-9]+ +/, "").startsWith(`${program} `))
    .map((line) => Number.parseInt(line, 10));
}

/** Processes with this first argument. Not supported on Windows, see `runtimeProgram`. */
export function pidsOf(program: string): number[] {
  if (process.platform === "win32") return [];
  return process.platform === "linux" ? linuxPids(program) : otherPids(program);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}

async function gone(program: string): Promise<boolean> {
  for (let waited = 0; waited < graceMs; waited += pollMs) {
    if (pidsOf(program).length === 0) return true;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return false;
}

/** SIGTERM, then SIGKILL. `ended` is `false` if a process remains. */
export async function endAll(program: string): Promise<{ pids: number[]; ended: boolean }> {
  const pids = pidsOf(program);
  if (pids.length === 0) return { pids, ended: true };
  for (const pid of pids) signal(pid, "SIGTERM");
  if (await gone(program)) return { pids, ended: true };
  // Searched again, since a pid may be reused.
  for (const pid of pidsOf(program)) signal(pid, "SIGKILL");
  return { pids, ended: await gone(program) };
}
