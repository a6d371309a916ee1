/** `npm run soak -- <name>`: what takes too long for the test suite. Exits 1 when anything is wrong. */
import { soakBodies } from "./bodies.ts";
import { soakCrashes } from "./crashes.ts";
import { soakKills, soakPower, soakStops } from "./embedded/crashes.ts";
import { soakThreads } from "./embedded/threads.ts";
import { soakJobs } from "./jobs.ts";
import { soakLeavers } from "./leavers.ts";
import { soakLibraries } from "./libraries.ts";
import { soakLimits } from "./limits.ts";
import { soakLongStreams } from "./long-streams.ts";
import { soakMemory } from "./memory.ts";
import { soakOauthClient } from "./oauth-client.ts";
import { soakParked } from "./parked.ts";
import { soakRefresh } from "./refresh.ts";
import { soakSink } from "./sink.ts";
import { soakStreamCuts } from "./stream-cuts.ts";
import { soakStreamKills } from "./stream-kills.ts";
import { soakStreams } from "./streams.ts";
import { soakStrangers } from "./strangers.ts";
import { soakUpgrade } from "./upgrade.ts";
import { databases, type DatabaseName } from "./world.ts";

const help = `npm run soak -- limits [DATABASE] [CASE...]   2,000 calls of 64 callers against each limit, or against those named, such as nodes; four
                                  processes on sqld, two isolates on objects
npm run soak -- crashes [DATABASE] [ROUNDS] [MINUTES]   kill -9 under load (300 rounds, 60 minutes at most)
npm run soak -- refresh [DATABASE]   eight processes of one client refresh one token at once, and again after 30 s; not sqld
npm run soak -- oauth-client       the official conformance suite's scenarios for OAuth clients, on the router's own
npm run soak -- leavers [DATABASE]   500 callers that hang up
npm run soak -- bodies [SECONDS] [FOLDER]   another tenant's p99 while one key sends bodies that are expensive to parse (10 seconds each); of the
                                  checkout in FOLDER
npm run soak -- strangers [FOLDER] first calls with fresh keys while 300 connections send unknown keys; of the checkout in FOLDER
npm run soak -- streams [DATABASE] [MINUTES] [STREAMS]   open streams through the proxy (10 minutes, 200 streams); not sqld
npm run soak -- long-streams [DATABASE] [MINUTES]   streams of 20 minutes, silence of 299 s, a reader of one byte a second; what leases cost
npm run soak -- stream-cuts [DATABASE]   providers' streams that break before each event, in each way, for each pair of wires
npm run soak -- stream-kills [DATABASE] [ROUNDS]   kill -9 while streams wait after each of their events (20 rounds)
npm run soak -- parked [ROUNDS]    200 calls that wait for clients who never return (8 rounds)
npm run soak -- memory [MINUTES] [CALLERS]   callers of npm start on its own file (10 minutes, 64 callers)
npm run soak -- jobs [MINUTES]     the scheduled jobs beside 400 calls a second (60 minutes of a simulated clock)
npm run soak -- kills [ROUNDS]    kill -9 of the embedded engine under load (200 rounds)
npm run soak -- stops [ROUNDS]    SIGSTOP of it, and a copy of its files (200 rounds)
npm run soak -- power [CUTS] [PRAGMA]   loss of power under it (200 times); with "synchronous = OFF" it must fail
npm run soak -- threads [SECONDS] the embedded engine on the main thread and on its own, with 0.3 and 20 ms a sync
npm run soak -- libraries [RUNTIME...]   both libraries from their tarball, on node@20, node@22, node@24, deno and bun from the
                                  registry, and on Workers
npm run soak -- sink              the audit sink and its verifier on @20minutes/s3rver from the registry, which goes away for a while
npm run soak -- upgrade [REF] [DATABASE] [SECONDS]   the version at REF (HEAD), HEAD with one more migration, and back, under load
                                  (10 seconds a step); not objects

DATABASE: embedded, npm start on its own file (default); sqld, npm start on a libSQL server; objects, npm run dev
`;
const say = (line: string): void =>
  void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

const [name, ...given] = process.argv.slice(2);
const database: DatabaseName = databases.find((each) => given.includes(each)) ?? "embedded";
const others = given.filter((each) => each !== database);
const [first, second] = others;

const routersOf: Record<DatabaseName, number> = { sqld: 4, objects: 2, embedded: 1 };

const soaks: Record<string, () => Promise<string[]>> = {
  limits: () =>
    soakLimits(
      {
        database,
        routers: routersOf[database],
        callers: 64,
        calls: 2_000,
        paceMs: 2_400,
        ...(others.length > 0 && { cases: others }),
      },
      say,
    ),
  strangers: () => soakStrangers(first, say),
  bodies: () =>
    soakBodies(
      { seconds: Number(first ?? 10), ...(second !== undefined && { from: second }) },
      say,
    ),
  crashes: () =>
    soakCrashes(
      { database, rounds: Number(first ?? 300), atMostMs: Number(second ?? 60) * 60_000 },
      say,
    ),
  streams: () =>
    soakStreams({ database, minutes: Number(first ?? 10), streams: Number(second ?? 200) }, say),
  "long-streams": () => soakLongStreams({ database, seconds: Number(first ?? 20) * 60 }, say),
  "stream-cuts": () => soakStreamCuts({ database }, say),
  "stream-kills": () => soakStreamKills({ database, rounds: Number(first ?? 20) }, say),
  memory: () =>
    soakMemory(
      { subject: "self-hosted", minutes: Number(first ?? 10), callers: Number(second ?? 64) },
      say,
    ),
  parked: () => soakParked(Number(first ?? 8), say),
  jobs: () => soakJobs(Number(first ?? 60), say),
  kills: () => soakKills(Number(first ?? 200), say),
  stops: () => soakStops(Number(first ?? 200), say),
  power: () =>
    soakPower({ cuts: Number(first ?? 200), pragmas: second === undefined ? [] : [second] }, say),
  threads: () => soakThreads({ seconds: Number(first ?? 10), callers: [1, 16, 64] }, say),
  upgrade: () =>
    soakUpgrade(
      {
        ref: first ?? "HEAD",
        database: database === "sqld" ? "sqld" : "embedded",
        seconds: Number(second ?? 10),
      },
      say,
    ),
  refresh: () => soakRefresh(database === "objects" ? "workerd" : "node", say),
  "oauth-client": () => soakOauthClient(say),
  sink: () => soakSink(say),
  libraries: () => soakLibraries(given, say),
  leavers: () => soakLeavers({ database, calls: 500 }, say),
};

const soak = soaks[name ?? ""];
if (soak === undefined) {
  process.stdout.write(help);
  process.exit(name === undefined || name === "--help" ? 0 : 1);
}
const faults = await soak();
say(faults.length === 0 ? "All of it held." : "FAILED:");
for (const fault of faults) say(`  ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
