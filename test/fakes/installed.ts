/** Whether a program that tests use where it is there can be found. */
import { spawnSync } from "node:child_process";

export const isInstalled = (program: string): boolean =>
  spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
