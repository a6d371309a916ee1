/**
 * 300 connections send keys that nobody has, while keys that nobody has used yet make their first call: first the same keys again
 * and again, then another one with each request.
 */
import { createEnding } from "../../src/start/ending.ts";
import {
  call,
  crowd,
  questionOf,
  startWorld,
  wait,
  type Say,
  type SoakRouter,
  type Tenant,
} from "./world.ts";

const connections = 300;
const keysOfEach = 30;
/** ms by which the p99 of a first call may rise */
const maxMs = 250;

const quantile = (durations: readonly number[], part: number): number =>
  durations.toSorted((a, b) => a - b)[Math.floor(durations.length * part)] ?? 0;

/** ms of the first call with each key, one after the other. */
async function firstCalls(router: SoakRouter, fresh: readonly Tenant[]) {
  const durations: number[] = [];
  let refused = 0;
  for (const [number, { key }] of fresh.entries()) {
    const began = performance.now();
    const { succeeded } = await call(router, key, { number, params: questionOf(number) });
    durations.push(performance.now() - began);
    if (!succeeded) refused += 1;
    await wait(50);
  }
  return { p50: quantile(durations, 0.5), p99: quantile(durations, 0.99), refused };
}

/** A key of the right shape that stands in no database: another key, its id changed. */
const unknownKey = (key: string, number: number): string =>
  key.replace(/[0-9a-z]{6}(?=[^0-9a-z]|$)/i, number.toString().padStart(6, "0"));

export async function soakStrangers(from: string | undefined, say: Say): Promise<string[]> {
  const ending = createEnding();
  const faults: string[] = [];
  try {
    const world = await startWorld(ending, {
      database: "embedded",
      routers: 1,
      scheduleSeconds: 60,
      ...(from !== undefined && { from }),
    });
    world.provider.take(1, 2);
    const [router] = world.routers;
    if (router === undefined) throw new Error("no router");
    const tenants: Tenant[] = [];
    for (let count = 0; count <= 3 * keysOfEach; count += 1)
      tenants.push(await world.tenant(`fresh-${count}`));
    const [steady, ...fresh] = tenants;
    if (steady === undefined) throw new Error("no tenant");
    let isOver = false;
    const calls = crowd(2, Infinity, async (number) => {
      if (isOver) throw new Error("over");
      await call(router, steady.key, { number, params: questionOf(number) });
      await wait(20);
    }).catch(() => undefined);
    await wait(3_000);
    const alone = await firstCalls(router, fresh.slice(0, keysOfEach));
    const told = ({ p50, p99, refused }: typeof alone): string =>
      `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${refused} refused`;
    say(`first calls alone: ${told(alone)}`);
    const beside = async (
      about: { name: string; keyOf: (connection: number) => string },
      keys: readonly Tenant[],
    ): Promise<void> => {
      let isFloodOver = false;
      let unknown = 0;
      const flood = crowd(connections, connections, async (number) => {
        for (;;) {
          if (isFloodOver) return;
          const key = about.keyOf(number);
          await call(router, key, { number, params: questionOf(number) }).catch(() => undefined);
          unknown += 1;
        }
      });
      await wait(2_000);
      const measured = await firstCalls(router, keys);
      isFloodOver = true;
      await flood;
      say(`beside ${unknown} calls of ${about.name}: ${told(measured)}`);
      if (measured.refused > 0)
        faults.push(`${measured.refused} first calls were refused beside ${about.name}`);
      if (measured.p99 - alone.p99 > maxMs) faults.push(`fresh keys waited behind ${about.name}`);
    };
    const keyOf = (number: number): string => unknownKey(steady.key, number);
    await beside({ name: "300 unknown keys", keyOf }, fresh.slice(keysOfEach, 2 * keysOfEach));
    let sent = connections;
    await beside(
      { name: "unknown keys, each used once", keyOf: () => keyOf((sent += 1)) },
      fresh.slice(2 * keysOfEach),
    );
    isOver = true;
    await calls;
    return faults;
  } finally {
    await ending.run();
  }
}
