/**
 * Imported into a router's process. Writes down how long its thread worked without looking at the event loop, in ms of CPU: what
 * callers wait for, whatever else the machine does.
 */
import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env["WORK_PIECES_FILE"];
const minMs = 5;

if (isMainThread && file !== undefined) {
  let { user, system } = process.threadCpuUsage();
  const look = (): void => {
    const now = process.threadCpuUsage();
    const ms = (now.user - user + now.system - system) / 1_000;
    ({ user, system } = now);
    if (ms >= minMs) appendFileSync(file, `${ms.toFixed(0)}\n`);
    setTimeout(look, 0).unref();
  };
  look();
}
