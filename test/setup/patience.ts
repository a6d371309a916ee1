/**
 * Scales the time limits of tests to the machine. `measurePatience` runs once, in the process that starts the tests, and every process
 * that it starts inherits the result.
 */
import process from "node:process";

const variable = "TEST_PATIENCE";

/** ms on this machine, for what a quiet machine does within `ms`. */
export const patient = (ms: number): number => Math.round(ms * Number(process.env[variable] ?? 1));

/** CPU ms that the loop below takes on a machine on which all time limits were chosen. */
const referenceMs = 60;
const loops = 20_000_000;
/** A limit that a broken product reaches costs that much, so it stays bounded. */
const bounds = { least: 2, max: 12 };

/** Measures how much longer than on a quiet reference machine a process takes here: by speed, and by what else runs. */
export function measurePatience(load: { running: number; cores: number }): void {
  if (process.env[variable] !== undefined) return;
  const began = performance.now();
  const usedBefore = process.cpuUsage();
  let sum = 0;
  for (let at = 0; at < loops; at += 1) sum = (sum + at * 31) % 65_521;
  const { user } = process.cpuUsage(usedBefore);
  const cpuMs = Math.max(1, user / 1_000);
  const slowness = cpuMs / referenceMs;
  const crowding = Math.max((performance.now() - began) / cpuMs, load.running / load.cores);
  const factor = Math.min(bounds.max, Math.max(bounds.least, slowness * crowding));
  // `sum` is used, so that the loop is not optimized away.
  process.env[variable] = String(Math.round((factor + (sum < 0 ? 1 : 0)) * 10) / 10);
}
