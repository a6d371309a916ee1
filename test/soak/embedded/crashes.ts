/**
 * `npm run soak -- kills | stops | power`: the embedded engine loses its process, stops for a moment, or loses
 * its power.
 */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { noDisk } from "../../fakes/disk.ts";
import { givenFolder } from "../../setup/engine.ts";
import { below, wait, type Say } from "../world.ts";
import type { Told } from "./ledger-load.ts";
import { afterLossOfPower, readDiskLog } from "./power.ts";
import { faultsOf } from "./survivor.ts";
import { prepare, startVictim } from "./victim.ts";

const callers = 16;
/** A file is given up after so many rounds: a larger one takes longer to check. */
const roundsOfFile = 20;
const faultsShown = 20;

/** ms of load in one round */
const someMs = (): number => 150 + below(500);

interface Round {
  path: string;
  who: Awaited<ReturnType<typeof prepare>>;
  /** every answer that callers of this file got */
  told: Told[];
}

/** Runs that many rounds. After a few rounds a new file is used. */
async function inRounds(
  rounds: number,
  say: Say,
  one: (round: Round) => Promise<string[]>,
): Promise<string[]> {
  const faults: string[] = [];
  let told = 0;
  for (let done = 0; done < rounds;) {
    const folder = givenFolder();
    const round = { path: folder.path, who: await prepare(folder.path), told: [] as Told[] };
    for (let left = roundsOfFile; left > 0 && done < rounds; left -= 1, done += 1)
      for (const fault of await one(round)) faults.push(`round ${done + 1}: ${fault}`);
    told += round.told.length;
    folder.remove();
    say(`${done} rounds, ${told} answers told, ${faults.length} faults`);
  }
  if (told === 0) faults.push("nobody was told anything: nothing was tried");
  return faults.slice(0, faultsShown);
}

/** SIGKILL, then the same file goes on. */
export const soakKills = (rounds: number, say: Say): Promise<string[]> =>
  inRounds(rounds, say, async ({ path, who, told }) => {
    const victim = await startVictim({ path, who, callers, log: null });
    await victim.answered;
    await wait(someMs());
    await victim.kill9();
    told.push(...victim.lines);
    return faultsOf(path, { who, told });
  });

/** SIGSTOP, then both files are copied, the log first. */
export const soakStops = (rounds: number, say: Say): Promise<string[]> =>
  inRounds(rounds, say, async ({ path, who, told }) => {
    const victim = await startVictim({ path, who, callers, log: null });
    await victim.answered;
    await wait(someMs());
    victim.signal("SIGSTOP");
    // What the process has printed by now is on its way here.
    await wait(30);
    const before = [...told, ...victim.lines];
    // Of its own: libsql may still have the last one open, and would read this one with that one's index.
    const copy = join(mkdtempSync(join(dirname(path), "copy-")), "database.sqlite");
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    copyFileSync(path, copy);
    await victim.kill9();
    told.push(...victim.lines);
    const faults = await faultsOf(copy, { who, told: before });
    rmSync(dirname(copy), { recursive: true });
    return faults;
  });

/** How often the power goes in one run of the load. */
const cutsOfRun = 20;

/** The power goes at any moment of the disk's log. */
export async function soakPower(
  about: {
    cuts: number;
    pragmas?: readonly string[];
    /** one fault is enough, for a test that must find one: the other cuts are left out */
    endsWithFault?: true;
  },
  say: Say,
): Promise<string[]> {
  const missing = noDisk();
  if (missing !== null) return [missing];
  const faults: string[] = [];
  let [done, told] = [0, 0];
  const isOver = (): boolean =>
    done >= about.cuts || (about.endsWithFault === true && faults.length > 0);
  while (!isOver()) {
    const folder = givenFolder();
    const { path } = folder;
    const log = `${path}.disk`;
    const who = await prepare(path);
    const database = readFileSync(path);
    const { pragmas = [] } = about;
    const victim = await startVictim({ path, who, callers, log, pragmas });
    await victim.answered;
    await wait(2 * someMs());
    await victim.kill9();
    const entries = readDiskLog(readFileSync(log));
    const max = entries.at(-1)?.end ?? 0;
    for (let cuts = cutsOfRun; cuts > 0 && !isOver(); cuts -= 1, done += 1) {
      const cut = below(max + 1);
      const files = afterLossOfPower(entries, { database, cut, random: Math.random });
      // Of its own: libsql may still have the last one open, and would read this one with that one's index.
      const rebuilt = join(dirname(path), `rebuilt-${done}.sqlite`);
      writeFileSync(rebuilt, files.database);
      writeFileSync(`${rebuilt}-wal`, files.log);
      const before = victim.lines.filter(({ at }) => at <= cut);
      told += before.length;
      for (const fault of await faultsOf(rebuilt, { who, told: before }))
        faults.push(`loss of power ${done + 1}: ${fault}`);
    }
    folder.remove();
    say(`${done} losses of power, ${told} answers told before, ${faults.length} faults`);
  }
  if (told === 0) faults.push("nobody was told anything: nothing was tried");
  return faults.slice(0, faultsShown);
}
