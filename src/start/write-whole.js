import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";

/** Atomically, since several starts may build at once. */
export function writeWhole(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const whole = `${path}.${process.pid}`;
  writeFileSync(whole, text);
  renameSync(whole, path);
}
