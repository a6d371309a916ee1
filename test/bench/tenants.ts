/**
 * `npm run bench -- tenants [spread] [waves] [N]`: the Worker with many tenants, each in an object of its own. A thousand of them
 * beside one; then N, in waves with an eviction between, for memory and the first call of a new tenant.
 */
import { Agent } from "node:http";
import { createEnding, type Ending } from "../../src/start/ending.ts";
import type { Call } from "./calls.ts";
import { median } from "./figures.ts";
import { eachOf, percentileOf, rightTurn, startHooked, type HookedTenant } from "./hooked.ts";
import { exchange, type Target } from "./load.ts";
import { machine } from "./machine.ts";
import { memoryMibOf } from "./memory.ts";
import { orderOf } from "./pairs.ts";
import type { Hook } from "./workers/hooked.ts";

type Say = (line: string) => void;

const typicalWaves = 10_000;
const spread = 1_000;
const ofWave = 500;
/** after so many tenants the memory is said: it must come to rest */
const toldEach = 2_000;
const atOnce = 8;
const turns = 5;
const seconds = 4;
const concurrency = 64;
const minRatio = 0.8;
const maxMib = 1_024;
const maxFirstMs = 50;
const lookMs = 200;
/** The first calls of a Worker are those of code that nobody has run. */
const coldCalls = 50;

/** One call that is each tenant's in turn. */
function callSlots(calls: readonly Call[]): Call {
  const [first] = calls;
  if (first === undefined) throw new Error("no tenant");
  let next = 0;
  return {
    ...first,
    get headers() {
      next = (next + 1) % calls.length;
      return (calls[next] ?? first).headers;
    },
  };
}

/** ms of one checked call. */
async function once(target: Target, asked: { id: number; agent: Agent }): Promise<number> {
  const { id, agent } = asked;
  const its = { id, nonce: `nonce-${process.pid.toString(36)}t-${id}` };
  const began = performance.now();
  const answered = await exchange(target, target.call.body(its), agent);
  const ms = performance.now() - began;
  target.call.check(its, answered);
  return ms;
}

const ofCount = { what: "count", databases: [] } as const satisfies Hook;

/**
 * As many calls as there are tenants, so each tenant is called once where the calls take turns. An object sleeps after 10 s, and
 * while the other side is measured nobody asks this side's.
 */
async function callEach(target: Target, agent: Agent): Promise<void> {
  const ids = Array.from({ length: spread }, (_, id) => id);
  await eachOf(ids, concurrency, (id) => once(target, { id, agent }));
}

async function benchSpread(outer: Ending, say: Say): Promise<string[]> {
  const ending = createEnding();
  outer.add(ending.run);
  const worker = await startHooked(ending);
  const took = stopwatch();
  const agent = new Agent({ keepAlive: true });
  const slugs = Array.from({ length: spread }, (_, at) => `t${at}`);
  const tenants = await eachOf(slugs, atOnce, worker.tenant);
  for (const [id, { call }] of tenants.entries()) await once(worker.target(call), { id, agent });
  const [one] = tenants;
  if (one === undefined) throw new Error("no tenant");
  const sides = {
    subject: worker.target(callSlots(tenants.map(({ call }) => call))),
    baseline: worker.target(one.call),
  };
  for (const side of Object.values(sides)) await rightTurn(side, { concurrency, seconds });
  const ratios: number[] = [];
  const cpu = { subject: [] as number[], baseline: [] as number[] };
  const woken = { subject: 0, baseline: 0 };
  for (let turn = 0; turn < turns; turn += 1) {
    const answers = { subject: 0, baseline: 0 };
    for (const side of orderOf(turn)) {
      await callEach(sides[side], agent);
      const before = await worker.hook(ofCount);
      const done = await rightTurn(sides[side], { concurrency, seconds });
      woken[side] += (await worker.hook(ofCount)).woken - before.woken;
      answers[side] = done.answers;
      cpu[side].push((done.cpu.server ?? Number.NaN) / done.asked);
    }
    ratios.push(answers.subject / answers.baseline);
  }
  agent.destroy();
  await ending.run();
  const shown = ratios.map((ratio) => ratio.toFixed(2)).join(", ");
  const { databasesOn } = machine();
  say(
    `${spread} tenants : one tenant, requests a second at c=${concurrency}: ${median(ratios).toFixed(2)} (${shown}), ms of CPU a request ${median(cpu.subject).toFixed(2)} : ${median(cpu.baseline).toFixed(2)}, objects that woke meanwhile ${woken.subject} : ${woken.baseline}; databases on ${databasesOn}; ${took()} s`,
  );
  return median(ratios) >= minRatio ? [] : [`${spread} tenants: below ${minRatio}`];
}

/** Whole seconds since it was made. */
const stopwatch = (): (() => string) => {
  const began = performance.now();
  return () => ((performance.now() - began) / 1_000).toFixed(0);
};

/** The most memory that was resident whenever somebody looked. */
function watchMemory(pids: readonly number[]): { stop(): number | null } {
  let max: number | null = null;
  const look = (): void => {
    const now = memoryMibOf(pids);
    if (now !== null) max = Math.max(max ?? 0, now);
  };
  const timer = setInterval(look, lookMs);
  return {
    stop() {
      clearInterval(timer);
      look();
      return max;
    },
  };
}

async function benchWaves(tenants: number, outer: Ending, say: Say): Promise<string[]> {
  const ending = createEnding();
  outer.add(ending.run);
  const worker = await startHooked(ending);
  const agent = new Agent({ keepAlive: true });
  const memory = watchMemory(worker.pids);
  const took = stopwatch();
  const firsts: number[] = [];
  for (let from = 0; from < tenants; from += ofWave) {
    const count = Math.min(ofWave, tenants - from);
    const slugs = Array.from({ length: count }, (_, at) => `t${from + at}`);
    const wave: HookedTenant[] = await eachOf(slugs, atOnce, worker.tenant);
    for (const { call } of wave)
      firsts.push(await once(worker.target(call), { id: firsts.length, agent }));
    await worker.hook({ what: "leave", databases: wave.map(({ database }) => database) });
    const mib = memoryMibOf(worker.pids)?.toFixed(0) ?? "?";
    const isTold = from === 0 || (from + count) % toldEach === 0 || from + ofWave >= tenants;
    if (isTold) say(`  ${from + count} tenants: ${mib} MiB`);
  }
  const max = memory.stop();
  agent.destroy();
  await ending.run();
  const warm = firsts.slice(coldCalls);
  const p50 = percentileOf(warm, 0.5);
  say(
    `${tenants} tenants in waves of ${ofWave}: at most ${max?.toFixed(0) ?? "?"} MiB; first call of a new tenant p50 ${p50.toFixed(1)} ms, p99 ${percentileOf(warm, 0.99).toFixed(1)} ms; ${took()} s`,
  );
  return [
    ...(max !== null && max >= maxMib ? [`memory: ${max.toFixed(0)} MiB`] : []),
    ...(p50 > maxFirstMs ? [`first call: p50 ${p50.toFixed(1)} ms`] : []),
  ];
}

export async function benchTenants(
  args: readonly string[],
  ending: Ending,
  say: Say,
): Promise<string[]> {
  const tenants = Number(args.find((arg) => /^\d+$/.test(arg)) ?? typicalWaves);
  const isWanted = (part: string): boolean =>
    args.includes(part) || !args.some((arg) => ["spread", "waves"].includes(arg));
  return [
    ...(isWanted("spread") ? await benchSpread(ending, say) : []),
    ...(isWanted("waves") ? await benchWaves(tenants, ending, say) : []),
  ];
}
