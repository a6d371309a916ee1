/**
 * What the proxy adds to messages that sample nothing: latency to the first and to the last byte of a
 * `tools/call` beyond that of a direct connection, in what another proxy on the same host adds. The other is, as
 * long as nobody names one, the least that whoever takes parts out of a stream must be.
 */
import { Agent } from "node:http";
import { createEnding, type Ending } from "../../src/start/ending.ts";
import type { RouterHost } from "../fakes/router.ts";
import { cpuMsOf } from "./cpu.ts";
import { median, ratioOf } from "./figures.ts";
import { machineLine } from "./machine.ts";
import { exchange, proxied, type Proxied, type ProxiedKind } from "./proxied.ts";
import {
  parseProxyOptions,
  startTrio,
  type ProxyBaseline,
  type ProxyOptions,
  type ProxySubject,
  type ProxyTrio,
} from "./proxy-subjects.ts";
import { rangeText, table } from "./report.ts";

type Say = (line: string) => void;

/** By the specification of this bench: the router's added p50, in that of the reading pass-through. */
const max = 1.2;
/** The part of a turn in which connections open, and nothing is measured. */
const leadShare = 0.15;
/** The server alone needs no more to show its p50. */
const directShare = 0.2;

const measures = ["firstMs", "lastMs"] as const;
type Measure = (typeof measures)[number];

/** p50 of one turn. */
type Turn = Record<Measure, number>;

interface Side {
  subject: ProxySubject;
  message: Proxied;
  turns: Turn[];
  cpuMs: number;
  asked: number;
}

/** Callers ask one after the other for the length of a turn; every answer is checked. */
async function turn(
  side: Side,
  { seconds, concurrency }: { seconds: number; concurrency: number },
): Promise<Turn> {
  const { subject, message } = side;
  const { headers } = message;
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const from = performance.now() + seconds * leadShare * 1_000;
  const until = performance.now() + seconds * 1_000;
  const samples: Turn[] = [];
  const caller = async (): Promise<void> => {
    while (performance.now() < until) {
      const id = (side.asked += 1);
      const asked = { id, nonce: `n-${concurrency}-${id}` };
      const began = performance.now();
      const got = await exchange({ url: subject.url, agent, headers }, message.body(asked));
      if (!message.isAnswer(asked, got.text))
        throw new Error(`${subject.name} answered ${got.text.slice(0, 300)}`);
      if (began >= from) samples.push({ firstMs: got.firstMs, lastMs: got.lastMs });
    }
  };
  const before = cpuMsOf(subject.pids) ?? 0;
  try {
    await Promise.all(Array.from({ length: concurrency }, caller));
  } finally {
    agent.destroy();
  }
  side.cpuMs += (cpuMsOf(subject.pids) ?? 0) - before;
  const p50 = (which: Measure): number => median(samples.map((sample) => sample[which]));
  return { firstMs: p50("firstMs"), lastMs: p50("lastMs") };
}

interface Measured {
  host: RouterHost;
  kind: ProxiedKind;
  concurrency: number;
  sides: Record<keyof ProxyTrio, Side>;
}

/** Each pair of turns has its own turn of the server alone, and the pairs come in the order ABBA. */
async function measure(
  { sides, concurrency }: Measured,
  { turns, seconds, warmUpSeconds }: ProxyOptions,
): Promise<void> {
  const { direct, router, baseline } = sides;
  for (const side of [router, baseline]) {
    await turn(side, { seconds: warmUpSeconds, concurrency });
    Object.assign(side, { cpuMs: 0, asked: 0 });
  }
  for (let pair = 0; pair < turns; pair += 1) {
    direct.turns.push(await turn(direct, { seconds: seconds * directShare, concurrency }));
    for (const side of pair % 2 === 0 ? [router, baseline] : [baseline, router])
      side.turns.push(await turn(side, { seconds, concurrency }));
  }
}

const p50 = ({ turns }: Side, which: Measure): number => median(turns.map((each) => each[which]));

/** What the router adds in what the other adds, in each pair of turns. */
function ratiosOf({ direct, router, baseline }: Measured["sides"], which: Measure): number[] {
  return router.turns.map((each, at) => {
    const alone = direct.turns[at]?.[which] ?? Number.NaN;
    return (each[which] - alone) / ((baseline.turns[at]?.[which] ?? Number.NaN) - alone);
  });
}

const heading = [
  "",
  "c",
  "host",
  "subject",
  "first ms",
  "last ms",
  "cpu ms",
  "added first",
  "added last",
];

function rowsOf({ host, kind, concurrency, sides }: Measured): string[][] {
  const rowOf = (side: Side, cells: string[]): string[] => [
    side === sides.direct ? kind : "",
    String(concurrency),
    host,
    side.subject.name,
    p50(side, "firstMs").toFixed(2),
    p50(side, "lastMs").toFixed(2),
    ...cells,
  ];
  const cpu = ({ cpuMs, asked }: Side): string => (cpuMs / asked).toFixed(2);
  const ratios = measures.map((which) => rangeText(ratioOf(ratiosOf(sides, which))));
  return [
    rowOf(sides.direct, ["", "", ""]),
    rowOf(sides.baseline, [cpu(sides.baseline), "", ""]),
    rowOf(sides.router, [cpu(sides.router), ...ratios]),
  ];
}

function faultsOf({ host, kind, concurrency, sides }: Measured): string[] {
  if (sides.baseline.subject.name !== "reading pass-through") return [];
  return measures.flatMap((which) => {
    const ratio = median(ratiosOf(sides, which));
    const added = which === "firstMs" ? "to the first byte" : "to the last";
    return ratio > max
      ? [`${host} ${kind}, c=${concurrency}: ${ratio.toFixed(2)} of the reading one's ${added}`]
      : [];
  });
}

/** Nothing else of the bench is alive meanwhile. */
async function compareOn(
  host: RouterHost,
  { baseline, options, say }: { baseline: ProxyBaseline; options: ProxyOptions; say: Say },
  whole: Ending,
): Promise<Measured[]> {
  const ending = createEnding();
  whole.add(ending.run);
  try {
    const trio = await startTrio(host, { baseline, before: options.before }, ending);
    const all: Measured[] = [];
    const sideOf = async (subject: ProxySubject, kind: ProxiedKind): Promise<Side> => {
      const message = await proxied(subject, kind);
      return { subject, message, turns: [], cpuMs: 0, asked: 0 };
    };
    for (const kind of options.kinds)
      for (const concurrency of options.concurrencies) {
        const sides = {
          direct: await sideOf(trio.direct, kind),
          router: await sideOf(trio.router, kind),
          baseline: await sideOf(trio.baseline, kind),
        };
        const measured = { host, kind, concurrency, sides };
        await measure(measured, options);
        say(table(rowsOf(measured)));
        all.push(measured);
      }
    return all;
  } finally {
    await ending.run();
  }
}

export async function benchProxy(
  args: readonly string[],
  ending: Ending,
  say: Say,
): Promise<string[]> {
  const options = parseProxyOptions(args);
  const all: Measured[] = [];
  for (const host of options.hosts)
    for (const baseline of options.baselines)
      all.push(...(await compareOn(host, { baseline, options, say }, ending)));
  say(`\n${machineLine()}\nLoad generator, server and both subjects share these cores.\n`);
  say(table([heading, ...all.flatMap(rowsOf)]));
  say(
    "\np50, the median of the turns. added: over the direct connection, in what the other one adds, the median " +
      "of the pairs of turns, with the least and the greatest.",
  );
  return all.flatMap(faultsOf);
}
