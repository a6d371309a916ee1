/**
 * `npm run bench -- neighbours [ROUNDS]`: what one tenant of the Worker notices of another one. A flood comes at half of the
 * measured maximum and waits for no answer; then the other tenant's object answers nobody for a while.
 */
import { createEnding, type Ending } from "../../src/start/ending.ts";
import { startChild } from "./child.ts";
import { median } from "./figures.ts";
import type { Flooded, Flooding } from "./flooder-process.ts";
import { percentileOf, rightTurn, startHooked, type HookedWorker } from "./hooked.ts";
import type { Target } from "./load.ts";
import { machine } from "./machine.ts";
import { orderOf, type Side } from "./pairs.ts";
import { threadCpuMs } from "./threads.ts";

type Say = (line: string) => void;

export const typicalRounds = 7;
/** rounds with a blocked object, for each with a flood: they are short, and a p99 needs many calls */
const blockedForEach = 3;
const calmSeconds = 4;
const warmUpSeconds = 8;
const leadSeconds = 2;
/** Longer than a start of the flood's process. */
const startMs = 500;
const floodShare = 0.5;
const blockedMs = 2_000;
const withinBlockedSeconds = 1.6;
const waiting = 16;
const maxFlooded = 1.5;
const maxBlocked = 1.1;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

const calmly = async (target: Target, seconds: number): Promise<number[]> =>
  (await rightTurn(target, { concurrency: 1, seconds })).latencies;

/** For which share of the time the runtime's one thread for all JavaScript worked; 0 where there is no `/proc`. */
async function busyWhile<T>(
  { pids }: Pick<HookedWorker, "pids">,
  work: () => Promise<T>,
): Promise<{ made: T; busy: number }> {
  const spent = (): number =>
    [...threadCpuMs(pids)].reduce(
      (sum, [name, ms]) => (name.endsWith(", main") ? sum + ms : sum),
      0,
    );
  const [before, began] = [spent(), performance.now()];
  const made = await work();
  return { made, busy: (spent() - before) / (performance.now() - began) };
}

interface Neighbours {
  rounds: number;
  worker: HookedWorker;
  calm: Target;
  loud: Target;
  /** the loud tenant's object */
  database: string;
}

async function benchFlooded(
  { rounds, worker, calm, loud }: Neighbours,
  outer: Ending,
  say: Say,
): Promise<string[]> {
  const full = await rightTurn(loud, { concurrency: 64, seconds: warmUpSeconds });
  const perSecond = floodShare * (full.answers / full.measuredSeconds);
  const ratios: number[] = [];
  const all: Record<Side, number[]> = { subject: [], baseline: [] };
  const busy: Record<Side | "flood", number[]> = { subject: [], baseline: [], flood: [] };
  let answered = 0;
  for (let round = 0; round < rounds; round += 1) {
    const p50 = { subject: 0, baseline: 0 };
    for (const side of orderOf(round)) {
      const ending = createEnding();
      outer.add(ending.run);
      const about: Flooding = {
        url: loud.url,
        key: loud.call.headers["Authorization"]?.replace("Bearer ", "") ?? "",
        callers: 256,
        seconds: leadSeconds + calmSeconds + 1,
        leadSeconds,
        perSecond,
      };
      const flood =
        side === "subject" ? startChild<Flooded>("flooder-process.ts", about, ending) : null;
      if (flood !== null) {
        await pause(startMs);
        busy.flood.push((await busyWhile(worker, () => pause(leadSeconds * 1_000))).busy);
      }
      const calls = await busyWhile(worker, () => calmly(calm, calmSeconds));
      busy[side].push(calls.busy);
      p50[side] = percentileOf(calls.made, 0.5);
      all[side].push(...calls.made);
      const flooded = await flood;
      if (flooded !== null) {
        if (flooded.firstOther !== null) throw new Error(flooded.firstOther);
        answered += flooded.answered / flooded.seconds / rounds;
      }
      await ending.run();
    }
    ratios.push(p50.subject / p50.baseline);
  }
  const shown = ratios.map((ratio) => ratio.toFixed(2)).join(", ");
  say(
    `a flood of ${perSecond.toFixed(0)} a second, ${answered.toFixed(0)} of them answered: another tenant's p50 at c=1 is ${median(ratios).toFixed(2)} times that without (${shown})`,
  );
  const others = [0.5, 0.9, 0.99].map((part) => {
    const [beside, alone] = [percentileOf(all.subject, part), percentileOf(all.baseline, part)];
    return `p${part * 100} ${beside.toFixed(1)} : ${alone.toFixed(1)}`;
  });
  const meanOf = (latencies: readonly number[]): string =>
    (latencies.reduce((sum, ms) => sum + ms, 0) / latencies.length).toFixed(1);
  say(
    `  ms with the flood : without: ${others.join(", ")}, mean ${meanOf(all.subject)} : ${meanOf(all.baseline)}`,
  );
  const share = (of: keyof typeof busy): string => median(busy[of]).toFixed(2);
  say(
    `the runtime's thread worked for ${share("baseline")} of the time with one caller alone, for ${share("flood")} with the flood alone, and for ${share("subject")} with both`,
  );
  return median(ratios) <= maxFlooded ? [] : [`a flood: above ${maxFlooded} times`];
}

async function benchBlocked(
  { rounds, worker, calm, loud, database }: Neighbours,
  say: Say,
): Promise<string[]> {
  const latencies = { subject: [] as number[], baseline: [] as number[] };
  for (let round = 0; round < blockedForEach * rounds; round += 1)
    for (const side of orderOf(round)) {
      const isBlocked = side === "subject";
      if (isBlocked) await worker.hook({ what: "block", ms: blockedMs, databases: [database] });
      // They wait for the object, and go on when it does.
      const calls = isBlocked ? rightTurn(loud, { concurrency: waiting, seconds: 0.05 }) : null;
      latencies[side].push(...(await calmly(calm, withinBlockedSeconds)));
      await calls;
    }
  const [beside, alone] = [
    percentileOf(latencies.subject, 0.99),
    percentileOf(latencies.baseline, 0.99),
  ];
  const ratio = beside / alone;
  say(
    `a tenant whose object is blocked for ${blockedMs / 1_000} s, ${waiting} calls waiting: another tenant's p99 at c=1 is ${ratio.toFixed(2)} times that without (${beside.toFixed(2)} : ${alone.toFixed(2)} ms, ${latencies.subject.length} : ${latencies.baseline.length} calls)`,
  );
  return ratio <= maxBlocked ? [] : [`a blocked object: above ${maxBlocked} times`];
}

export async function benchNeighbours(rounds: number, outer: Ending, say: Say): Promise<string[]> {
  const ending = createEnding();
  outer.add(ending.run);
  const worker = await startHooked(ending);
  const [calm, loud] = [await worker.tenant("calm"), await worker.tenant("loud")];
  const neighbours = {
    rounds,
    worker,
    calm: worker.target(calm.call),
    loud: worker.target(loud.call),
    database: loud.database,
  };
  await rightTurn(neighbours.calm, { concurrency: 16, seconds: warmUpSeconds });
  say(`databases on ${machine()["databasesOn"] ?? "?"}`);
  const faults = [
    ...(await benchFlooded(neighbours, ending, say)),
    ...(await benchBlocked(neighbours, say)),
  ];
  await ending.run();
  return faults;
}
