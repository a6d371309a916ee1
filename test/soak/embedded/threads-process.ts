/** One variant of the engine under load: how much it does, and how long its main thread is busy at a time. */
import { createHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { openOverEngine } from "../../../src/store/over-engine.ts";
import { migrate } from "../../../src/store/migrations.ts";
import { value } from "../../contract/store/open.ts";
import { startEngine } from "../../setup/engine.ts";
import { readMigrations } from "../../setup/migrations.ts";
import { startInline } from "../../setup/inline-engine.ts";
import { ledgerCall, loadCaller } from "./ledger-load.ts";

const warmUpMs = 1_500;
const [path = "", variant, callers, seconds] = process.argv.slice(2);
const engine = variant === "inline" ? startInline(path) : await startEngine(path);
const db = openOverEngine(engine);
value(await migrate(db, readMigrations()));
const who = await loadCaller(db);
const delay = monitorEventLoopDelay({ resolution: 1 });
const until = performance.now() + warmUpMs + Number(seconds) * 1_000;
let isWarm = false;
const times: number[] = [];
/** µs of its own work between two turns of a timer: a busy machine delays the turns, and adds nothing to these. */
const work = createHistogram();
let worked = 0;
const ownMicros = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};
setTimeout(() => {
  isWarm = true;
  delay.enable();
  worked = ownMicros();
  setInterval(() => {
    const now = ownMicros();
    work.record(Math.max(1, now - worked));
    worked = now;
  }, 1).unref();
}, warmUpMs);
await Promise.all(
  Array.from({ length: Number(callers) }, async () => {
    while (performance.now() < until) {
      const from = performance.now();
      await ledgerCall(db, who, () => {});
      if (isWarm) times.push(performance.now() - from);
    }
  }),
);
delay.disable();
const cpu = process.cpuUsage();
const sorted = times.toSorted((a, b) => a - b);
process.stdout.write(
  `${JSON.stringify({
    perSecond: times.length / Number(seconds),
    p50Ms: sorted[Math.floor(sorted.length / 2)],
    delayP50Ms: delay.percentile(50) / 1e6,
    delayP999Ms: delay.percentile(99.9) / 1e6,
    maxDelayMs: delay.max / 1e6,
    workP999Ms: work.percentile(99.9) / 1e3,
    cpuMs: (cpu.user + cpu.system) / 1e3 / times.length,
  })}\n`,
);
await engine.close();
