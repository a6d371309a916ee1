/**
 * `npm run bench -- flood [CHECKOUT…]`: the libSQL server with its own defaults under load, then one
 * tenant's flood and what another tenant notices of it, with `npm start` on its own file, with the Worker on its objects,
 * and with `npm start` on a libSQL server. Each checkout named is measured in turns with this one. One of
 * `defaults`, `embedded`, `objects`, `libsql` before the checkouts measures that part alone.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createEnding, type Ending } from "../../src/start/ending.ts";
import { checkout } from "../../src/start/settings.ts";
import { startRouter } from "../fakes/router.ts";
import { startSqld } from "../fakes/sqld.ts";
import { samplingCall } from "./calls.ts";
import { startChild } from "./child.ts";
import type { Flooded, Flooding } from "./flooder-process.ts";
import { runTurn } from "./load.ts";
import { table } from "./report.ts";
import { adminToken, routerSettings } from "./subjects.ts";
import { createTenant } from "./tenant.ts";

type Say = (line: string) => void;
/** of `npm start`, and of `npm run dev` */
type Launcher = "start.js" | "dev.ts";

interface Subject {
  name: string;
  url: string;
  calm: string;
  flooding: string;
}

const concurrencies = [1, 16, 64, 256];
const rounds = 2;
const turnSeconds = 4;
const leadSeconds = 2;
const floodSeconds = 6;
/** Longer than a start of the flood's process, so that it is counted in whole seconds only. */
const afterLeadMs = (leadSeconds + 0.3) * 1_000;
const calmSeconds = 3;
const floodCallers = [64, 256, 1_000];
const thinkMs = 200;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const rate = (value: number): string => value.toFixed(0);
const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

/** A router of that checkout, with two tenants. */
async function startSubject(
  from: string,
  about: { providerUrl: string; env: Record<string, string>; launcher: Launcher },
  ending: Ending,
): Promise<Subject> {
  // The last is the launcher of versions before the server on Node.
  const program = [about.launcher, "main.ts"]
    .map((name) => resolve(from, "src/start", name))
    .find((path) => existsSync(path));
  if (program === undefined) throw new Error("no launcher");
  const router = await startRouter({
    env: { ...routerSettings, ...about.env },
    command: [process.execPath, program],
  });
  ending.add(async () => void (await router.stop()));
  const { providerUrl } = about;
  const key = async (slug: string): Promise<string> =>
    (await createTenant({ url: router.url, adminToken, providerUrl, slug })).newKey();
  return {
    name: from === checkout ? "this" : from,
    url: router.url,
    calm: await key("calm"),
    flooding: await key("flooding"),
  };
}

const flood = (about: Flooding, ending: Ending): Promise<Flooded> =>
  startChild<Flooded>("flooder-process.ts", about, ending);

async function benchDefaults(places: readonly string[], outer: Ending, say: Say): Promise<void> {
  const ending = createEnding();
  outer.add(ending.run);
  const provider = await startChild<{ url: string }>("provider-process.ts", {}, ending);
  const subjects: Subject[] = [];
  for (const place of places) {
    const sqld = await startSqld({});
    ending.add(sqld.stop);
    const about = {
      providerUrl: provider.url,
      env: { DATABASE_URL: sqld.url },
      launcher: "start.js" as const,
    };
    subjects.push(await startSubject(place, about, ending));
  }
  say(`\nThe libSQL server with its own defaults, ${rounds} turns of ${turnSeconds} s each:`);
  const rows: string[][] = [["", "c", "answers/s", "refused", "other faults"]];
  for (const subject of subjects)
    await runTurn(
      { url: subject.url, call: samplingCall(subject.calm), pids: { server: [], database: [] } },
      { concurrency: 16, seconds: 2 },
    );
  for (const callers of concurrencies) {
    const sums = subjects.map(() => ({ answered: 0, refused: 0, other: 0, seconds: 0 }));
    for (let round = 0; round < rounds; round += 1)
      for (const [at, { url, calm }] of subjects.entries()) {
        const about = { url, key: calm, callers, seconds: turnSeconds, leadSeconds: 0.5 };
        const told = await flood(about, ending);
        const sum = sums[at];
        if (sum === undefined) continue;
        for (const field of ["answered", "refused", "other", "seconds"] as const)
          sum[field] += told[field];
        if (told.firstOther !== null) say(`  ${subjects[at]?.name}: ${told.firstOther}`);
      }
    for (const [at, { answered, refused, other, seconds }] of sums.entries()) {
      const all = answered + refused + other;
      const name = subjects[at]?.name ?? "";
      rows.push([
        name,
        String(callers),
        rate(answered / seconds),
        percent(refused / all),
        String(other),
      ]);
    }
  }
  say(table(rows));
  await ending.run();
}

/** p50 and p99 of one caller that asks again as soon as it is answered. */
async function calmly({ url, calm }: Subject): Promise<{ p50: number; p99: number }> {
  const { latencies, wrong, firstWrong } = await runTurn(
    { url, call: samplingCall(calm), pids: { server: [], database: [] } },
    { concurrency: 1, seconds: calmSeconds },
  );
  if (wrong > 0) throw new Error(`the calm tenant: ${wrong} wrong, ${firstWrong}`);
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

async function benchFlood(
  about: {
    places: readonly string[];
    database: "embedded" | "objects" | "libSQL";
    thinkMs: number;
  },
  outer: Ending,
  say: Say,
): Promise<void> {
  const ending = createEnding();
  outer.add(ending.run);
  const providing = { thinkMs: about.thinkMs };
  const provider = await startChild<{ url: string }>("provider-process.ts", providing, ending);
  const subjects: Subject[] = [];
  for (const place of about.places) {
    const env: Record<string, string> = {};
    if (about.database === "libSQL") {
      const sqld = await startSqld({});
      ending.add(sqld.stop);
      env["DATABASE_URL"] = sqld.url;
    }
    const launcher = about.database === "objects" ? "dev.ts" : "start.js";
    const how = { providerUrl: provider.url, env, launcher } as const;
    subjects.push(await startSubject(place, how, ending));
  }
  say(
    `\nOne tenant floods, another calls one by one: ${about.database}, ${about.thinkMs} ms at the provider:`,
  );
  const rows: string[][] = [
    [
      "",
      "flood",
      "p50 alone",
      "p50",
      "ratio",
      "p99",
      "answers/s of the flood",
      "refused",
      "retryAfterMs",
      "other",
    ],
  ];
  for (const subject of subjects) await calmly(subject);
  for (const callers of floodCallers)
    for (const subject of subjects) {
      const alone = await calmly(subject);
      const { url, flooding: key } = subject;
      const flooded = flood({ url, key, callers, seconds: floodSeconds, leadSeconds }, ending);
      await pause(afterLeadMs);
      const beside = await calmly(subject).catch((cause: unknown) => {
        say(`  ${subject.name}: ${String(cause).slice(0, 300)}`);
        return { p50: Number.NaN, p99: Number.NaN };
      });
      const { answered, refused, other, firstOther, retryAfterMs, seconds } = await flooded;
      if (firstOther !== null) say(`  ${subject.name}: ${firstOther}`);
      const all = answered + refused + other;
      rows.push([
        subject.name,
        String(callers),
        alone.p50.toFixed(1),
        beside.p50.toFixed(1),
        `${(beside.p50 / alone.p50).toFixed(2)}×`,
        beside.p99.toFixed(1),
        rate(answered / seconds),
        percent(refused / all),
        retryAfterMs === null ? "–" : `${retryAfterMs.least} to ${retryAfterMs.max}`,
        String(other),
      ]);
      // What the flood left behind is done by then.
      await pause(1_500);
    }
  say(table(rows));
  await ending.run();
}

export async function benchFloods(
  args: readonly string[],
  ending: Ending,
  say: Say,
): Promise<void> {
  const parts = ["defaults", "embedded", "objects", "libsql"];
  const chosen = args.filter((arg) => parts.includes(arg));
  const wanted = chosen.length === 0 ? parts : chosen;
  const places = [...args.filter((arg) => !parts.includes(arg)), checkout];
  if (wanted.includes("defaults")) await benchDefaults(places, ending, say);
  for (const database of ["embedded", "objects", "libSQL"] as const)
    if (wanted.includes(database.toLowerCase()))
      for (const provider of [0, thinkMs])
        await benchFlood({ places, database, thinkMs: provider }, ending, say);
}
