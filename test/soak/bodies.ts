/** One key sends bodies that are dear to parse, while another tenant's calls are measured. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryStateDir } from "../fakes/router.ts";
import { bodies } from "./large-bodies.ts";
import { createEnding } from "../../src/start/ending.ts";
import {
  call,
  crowd,
  questionOf,
  startWorld,
  wait,
  type Say,
  type Tenant,
  type World,
} from "./world.ts";

/** ms by which another tenant's p99 may rise */
const maxMs = 50;

const p99 = (durations: readonly number[]): number =>
  durations.toSorted((a, b) => a - b)[Math.floor(durations.length * 0.99)] ?? 0;

async function measured(world: World, { key }: Tenant, ms: number): Promise<number[]> {
  const [router] = world.routers;
  if (router === undefined) throw new Error("no router");
  const durations: number[] = [];
  const until = performance.now() + ms;
  await crowd(4, Infinity, async (number) => {
    if (performance.now() > until) throw new Error("over");
    const began = performance.now();
    await call(router, key, { number, params: questionOf(number) });
    durations.push(performance.now() - began);
    await wait(15);
  }).catch(() => undefined);
  return durations;
}

export async function soakBodies(
  { seconds, from }: { seconds: number; from?: string },
  say: Say,
): Promise<string[]> {
  const ending = createEnding();
  const faults: string[] = [];
  const pieces = join(temporaryStateDir(), "work-pieces");
  try {
    const world = await startWorld(ending, {
      database: "embedded",
      routers: 1,
      scheduleSeconds: 60,
      env: {
        WORK_PIECES_FILE: pieces,
        NODE_OPTIONS: `--import ${join(import.meta.dirname, "work-pieces.ts")}`,
      },
      ...(from !== undefined && { from }),
    });
    world.provider.take(1, 2);
    const victim = await world.tenant("victim");
    const attacker = await world.tenant("attacker");
    await measured(world, victim, 5_000);
    for (const name of Object.keys(bodies)) {
      const alone = p99(await measured(world, victim, seconds * 1_000));
      const sender = fork(join(import.meta.dirname, "bodies-sender.ts"), [
        world.routers[0]?.url ?? "",
        attacker.key,
        name,
      ]);
      await wait(500);
      writeFileSync(pieces, "");
      const beside = await measured(world, victim, seconds * 1_000);
      sender.send("end");
      const [statuses] = (await once(sender, "message")) as [Record<string, number>];
      await once(sender, "exit");
      const rise = p99(beside) - alone;
      const worked = readFileSync(pieces, "utf8").split("\n").map(Number);
      say(
        `${name}: p99 ${alone.toFixed(0)} ms alone, ${p99(beside).toFixed(0)} ms beside (${beside.length} calls), ${Math.max(...worked)} ms of CPU in one piece; answers ${JSON.stringify(statuses)}`,
      );
      if (rise > maxMs)
        faults.push(`${name}: the other tenant's p99 rose by ${rise.toFixed(0)} ms`);
      await wait(1_000);
    }
    return faults;
  } finally {
    await ending.run();
  }
}
