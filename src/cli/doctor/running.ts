/** Whether a router runs on this state, is ready, and runs its jobs. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parsedJson } from "../../domain/json.ts";
import { startCommand } from "../../start/called.ts";
import { longestRunMs } from "../../start/schedule.ts";
import { readScheduleRun } from "../../start/schedule-run.ts";
import type { Settings } from "../../start/settings.ts";
import { seconds } from "./duration.ts";
import { faulty, fine, warning, type Finding } from "./finding.ts";

const deadlineMs = 5_000;
/** Runs that may be missing. */
const missedRuns = 3;

const holder = z.looseObject({ pid: z.number(), port: z.number() });

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    // Another user's process exists.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}

/** `left`: `runtime.json` exists, but can't be read or names a process that doesn't run. */
function holderOf(stateDir: string): { port: number; forMs: number } | "left" | null {
  const path = join(stateDir, "runtime.json");
  if (!existsSync(path)) return null;
  const read = holder.safeParse(parsedJson(readFileSync(path, "utf8")));
  if (!read.success || !isAlive(read.data.pid)) return "left";
  return { port: read.data.port, forMs: Date.now() - statSync(path).mtimeMs };
}

async function readinessOf(origin: string): Promise<Finding> {
  const check = "router";
  try {
    const signal = AbortSignal.timeout(deadlineMs);
    const answer = await fetch(`${origin}/health/ready`, { signal });
    if (answer.ok) return fine(check, `runs at ${origin} and is ready`);
    const message = (await answer.text()).slice(0, 300);
    return faulty(check, `runs at ${origin} but is not ready: ${message}`, "See docs/operate.md.");
  } catch {
    return faulty(
      check,
      `its process exists, but ${origin} does not answer`,
      "Check its log, then restart it.",
    );
  }
}

function scheduleOf({ stateDir, scheduleSeconds }: Settings, forMs: number): Finding {
  const check = "schedule";
  const run = readScheduleRun(stateDir);
  const ago = run === null ? Infinity : Date.now() - run.at;
  const isLate = ago > missedRuns * scheduleSeconds * 1_000 + longestRunMs;
  const advice = "Check its log for scheduled jobs, then restart it.";
  if (isLate && forMs < longestRunMs) return fine(check, "the router has only just started");
  if (run === null) return faulty(check, "the scheduled jobs have not run", advice);
  if (!run.ok) return faulty(check, `the scheduled jobs failed ${seconds(ago)} ago`, advice);
  return isLate
    ? faulty(check, `the scheduled jobs last ran ${seconds(ago)} ago`, advice)
    : fine(check, `the scheduled jobs ran ${seconds(ago)} ago`);
}

/** The actual port, whatever the current settings say. */
export function runningPort({ stateDir }: Settings): number | null {
  const found = holderOf(stateDir);
  return found === null || found === "left" ? null : found.port;
}

export async function runningOf(settings: Settings): Promise<Finding[]> {
  const found = holderOf(settings.stateDir);
  if (found === null)
    return [
      fine("router", `no router is using this state directory; start one with ${startCommand}`),
    ];
  if (found === "left")
    return [
      warning(
        "router",
        "no router is using this state directory, and the last one did not shut down cleanly",
        `Look for "event":"fault" in its log. If it is missing, the process was killed, possibly out of memory. Start the router with ${startCommand}; it settles interrupted calls when their leases expire.`,
      ),
    ];
  const ready = await readinessOf(`http://${settings.urlHost}:${found.port}`);
  return [ready, scheduleOf(settings, found.forMs)];
}
