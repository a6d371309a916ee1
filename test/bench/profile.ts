/** `npm run bench -- profile`: where the CPU of a request goes, by module, in each thread or isolate. */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";
import { createEnding, type Ending } from "../../src/start/ending.ts";
import { checkout } from "../../src/start/settings.ts";
import { freePort } from "../fakes/sqld.ts";
import { startChild } from "./child.ts";
import { openSessions, type Session } from "./inspector.ts";
import { runTurn, type Target, type Turn } from "./load.ts";
import {
  idle,
  roomOf,
  sampleEveryUs,
  spentIn,
  summed,
  type Profile,
  type Spent,
} from "./modules.ts";
import { positive } from "./options.ts";
import { proxiedCall, proxiedKinds, registerServer, type ProxiedKind } from "./proxied.ts";
import { table } from "./report.ts";
import { adminToken, profiledSubjects, type ProfiledSubject } from "./subjects.ts";
import { threadCpuMs } from "./threads.ts";

type Say = (line: string) => void;

interface Options {
  subjects: readonly ProfiledSubject[];
  concurrency: number;
  seconds: number;
  warmUpSeconds: number;
  /** where the raw profiles go; null: nowhere */
  folder: string | null;
  /** which message that samples nothing is sent; null: the requests sample */
  proxied: ProxiedKind | null;
}

interface Profiled {
  title: string;
  spent: Spent[];
  profile: Profile;
}

const shown = 25;
/** ms. A session with less CPU of its own is left out. */
const minOwnMs = 20;
const program = "(program)";

const shortened = (text: string): string => text.replaceAll(`${pathToFileURL(checkout).href}/`, "");

const busyMs = (spent: readonly Spent[]): number =>
  spent.filter(({ module }) => module !== idle).reduce((sum, { ms }) => sum + ms, 0);

export function parseProfileOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      concurrency: { type: "string", default: "64" },
      seconds: { type: "string", default: "10" },
      "warm-up": { type: "string", default: "10" },
      raw: { type: "string" },
      proxied: { type: "string" },
    },
  });
  const proxied = proxiedKinds.find((kind) => kind === values.proxied) ?? null;
  if (values.proxied !== undefined && proxied === null)
    throw new Error(`--proxied is one of ${proxiedKinds.join(", ")}`);
  const names = profiledSubjects.map(({ name }) => name);
  const wanted = positionals.length === 0 ? ["self-hosted", "worker"] : positionals;
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Error(`profile has no subject ${unknown}; there are ${names.join(", ")}`);
  return {
    subjects: profiledSubjects.filter(({ name }) => wanted.includes(name)),
    concurrency: Math.ceil(positive("concurrency", values.concurrency)),
    seconds: positive("seconds", values.seconds),
    warmUpSeconds: positive("warm-up", values["warm-up"]),
    folder: values.raw ?? null,
    proxied,
  };
}

/** The text of every script in which time was spent; only asked for afterwards, since it costs some. */
async function sourcesOf(session: Session, { nodes }: Profile): Promise<Map<string, string>> {
  await session.send("Debugger.enable");
  const ids = new Set(
    nodes
      .filter(({ callFrame }) => callFrame.url !== "")
      .map(({ callFrame }) => callFrame.scriptId),
  );
  const sources = new Map<string, string>();
  for (const scriptId of ids) {
    const found = await session.send("Debugger.getScriptSource", { scriptId }).catch(() => null);
    if (found !== null) sources.set(scriptId, (found as { scriptSource: string }).scriptSource);
  }
  await session.send("Debugger.disable");
  return sources;
}

async function profiled(
  sessions: readonly Session[],
  during: () => Promise<Turn>,
): Promise<{ turn: Turn; all: Profiled[] }> {
  for (const session of sessions) {
    await session.send("Profiler.enable");
    await session.send("Profiler.setSamplingInterval", { interval: sampleEveryUs });
    await session.send("Profiler.start");
  }
  const turn = await during();
  const all: Profiled[] = [];
  for (const session of sessions) {
    const { profile } = (await session.send("Profiler.stop")) as { profile: Profile };
    const spent = spentIn(profile, await sourcesOf(session, profile));
    all.push({
      title: session.title,
      spent: spent.map((each) => ({ ...each, module: shortened(each.module) })),
      profile,
    });
  }
  return { turn, all };
}

/** V8's own parts, such as its collector, are no functions. */
const placeOf = ({ module, functionName }: Spent): string =>
  module === functionName ? module : `${functionName || "(anonymous)"} in ${module}`;

function report({ title, spent }: Profiled, asked: number, say: Say): void {
  const busy = busyMs(spent);
  const working = spent.filter(({ module }) => module !== idle);
  const rows = (nameOf: (each: Spent) => string): string =>
    table([
      ["", "ms a request", "share"],
      ...summed(working, nameOf)
        .slice(0, shown)
        .map(({ name, ms }) => [
          name,
          (ms / asked).toFixed(3),
          `${((ms / busy) * 100).toFixed(1)} %`,
        ]),
    ]);
  say(`\n${title}: ${(busy / asked).toFixed(2)} ms a request, not idle\n`);
  say(rows(({ module }) => roomOf(module)));
  say(`\n${rows(({ module }) => module)}`);
  say(`\n${rows(placeOf)}`);
}

/** The same router with messages for a server behind it. */
async function proxiedTarget(
  router: Target,
  { kind, ending }: { kind: ProxiedKind; ending: Ending },
): Promise<Target> {
  const server = await startChild<{ url: string }>("mcp-server-process.ts", {}, ending);
  const place = await registerServer({ url: router.url, adminToken }, server.url);
  return { ...router, url: place.url, call: await proxiedCall(place, kind) };
}

async function profileSubject(
  subject: ProfiledSubject,
  options: Options,
  about: { ending: Ending; say: Say },
): Promise<string[]> {
  const { concurrency, seconds, warmUpSeconds, folder, proxied } = options;
  const { say } = about;
  const ending = createEnding();
  about.ending.add(ending.run);
  try {
    const provider = await startChild<{ url: string }>("provider-process.ts", {}, ending);
    const inspectorPort = await freePort();
    const sampling: Target = await subject.start({ provider, ending, say }, inspectorPort);
    const target =
      proxied === null ? sampling : await proxiedTarget(sampling, { kind: proxied, ending });
    say(`\n${subject.title}, ${proxied ?? "sampling"}, c=${concurrency}, ${seconds} s`);
    await runTurn(target, { concurrency, seconds: warmUpSeconds });
    const sessions = await openSessions(inspectorPort, ending);
    const before = threadCpuMs(target.pids.server);
    const { turn, all } = await profiled(sessions, () => runTurn(target, { concurrency, seconds }));
    const after = threadCpuMs(target.pids.server);
    const { asked, wrong, firstWrong } = turn;
    const busy = all.filter(
      ({ spent }) => busyMs(spent.filter(({ module }) => module !== program)) >= minOwnMs,
    );
    for (const each of busy.toSorted((a, b) => busyMs(b.spent) - busyMs(a.spent)))
      report(each, asked, say);
    const threads = [...after].map(([name, ms]) => [
      name,
      ((ms - (before.get(name) ?? 0)) / asked).toFixed(2),
    ]);
    say(
      `\nCPU by the system's count, profiler included:\n${table([["thread", "ms a request"], ...threads])}`,
    );
    if (folder !== null)
      for (const [at, { profile }] of busy.entries())
        writeFileSync(`${folder}/${subject.name}-${at + 1}.cpuprofile`, JSON.stringify(profile));
    return wrong === 0
      ? []
      : [`${subject.name}: ${wrong} of ${asked} wrong; the first: ${firstWrong}`];
  } finally {
    await ending.run();
  }
}

export async function benchProfile(
  args: readonly string[],
  ending: Ending,
  say: Say,
): Promise<string[]> {
  const options = parseProfileOptions(args);
  const faults: string[] = [];
  say(
    "Samples that are not idle: waiting for the disk in a function counts. What a built-in function takes is its " +
      "caller's. What runs outside of JavaScript, as workerd's own code, is in the system's count alone.",
  );
  for (const subject of options.subjects)
    faults.push(...(await profileSubject(subject, options, { ending, say })));
  return faults;
}
