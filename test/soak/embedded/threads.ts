/** `npm run soak -- threads`: the engine on the main thread and on threads of its own, on a quick and a slow disk. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { diskEnvironment, noDisk } from "../../fakes/disk.ts";
import { givenFolder } from "../../setup/engine.ts";
import type { Say } from "../world.ts";

const run = promisify(execFile);
const program = fileURLToPath(new URL("threads-process.ts", import.meta.url));
const maxDelayMs = 20;
const shown = (value: unknown): string => Number(value).toFixed(2);

export async function soakThreads(
  about: { seconds: number; callers: readonly number[] },
  say: Say,
): Promise<string[]> {
  const missing = noDisk();
  if (missing !== null) return [missing];
  const faults: string[] = [];
  for (const callers of about.callers)
    for (const syncMs of [0.3, 20])
      for (const variant of ["inline", "threads"]) {
        const folder = givenFolder();
        const { stdout } = await run(
          process.execPath,
          [program, folder.path, variant, String(callers), String(about.seconds)],
          { env: { ...process.env, ...diskEnvironment({ path: folder.path, syncMs }) } },
        );
        folder.remove();
        const its = JSON.parse(stdout) as Record<string, number>;
        const name = `${variant}, ${callers} callers, ${syncMs} ms a sync`;
        say(
          `${name}: ${shown(its["perSecond"])} calls a second, p50 ${shown(its["p50Ms"])} ms, CPU ${shown(its["cpuMs"])} ms a call; main thread's delay p50 ${shown(its["delayP50Ms"])}, p99.9 ${shown(its["delayP999Ms"])}, most ${shown(its["maxDelayMs"])} ms, its own work at a time p99.9 ${shown(its["workP999Ms"])} ms`,
        );
        if (variant === "threads" && Number(its["delayP999Ms"]) >= maxDelayMs)
          faults.push(`${name}: the main thread's delay is ${shown(its["delayP999Ms"])} ms`);
      }
  return faults;
}
