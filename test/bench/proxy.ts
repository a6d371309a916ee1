/**
 * What the proxy adds to messages that sample nothing: latency to the first and to the last byte of a
 * `tools/call`, against a direct connection and, on the same host, two bare pass-throughs: one that lets the
 * runtime stream, and one that does the least that whoever takes parts of it out must.
 */
import { Agent } from "node:http";
import type { Ending } from "../../src/start/ending.ts";
import { cpuMsOf } from "./cpu.ts";
import { machineLine } from "./machine.ts";
import { exchange, proxied, proxiedKinds, type Proxied, type ProxiedKind } from "./proxied.ts";
import { parseProxyOptions, startProxySubjects, type ProxySubject } from "./proxy-subjects.ts";
import { table } from "./report.ts";

/** By the specification of this bench: the router's added p50, in that of the reading pass-through. */
const most = 1.2;
const seconds = 1;
const leadSeconds = 0.25;
const concurrencies = [1, 16];

interface Sample {
  firstMs: number;
  lastMs: number;
}

interface Cell {
  subject: ProxySubject;
  kind: ProxiedKind;
  concurrency: number;
  message: Proxied;
  /** p50 of each turn: the median of them minds a disturbed turn less than all samples together */
  turns: Sample[];
  cpuMs: number;
  asked: number;
}

/** Callers ask one after the other for the length of a turn; every answer is checked. */
async function turn(cell: Cell): Promise<void> {
  const { subject, concurrency, message } = cell;
  const { headers } = message;
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const from = performance.now() + leadSeconds * 1_000;
  const until = performance.now() + seconds * 1_000;
  const caller = async (): Promise<void> => {
    while (performance.now() < until) {
      const id = (cell.asked += 1);
      const asked = { id, nonce: `n-${concurrency}-${id}` };
      const began = performance.now();
      const got = await exchange({ url: subject.url, agent, headers }, message.body(asked));
      if (!message.isAnswer(asked, got.text))
        throw new Error(`${subject.name} answered ${got.text.slice(0, 300)}`);
      if (began >= from) samples.push({ firstMs: got.firstMs, lastMs: got.lastMs });
    }
  };
  const samples: Sample[] = [];
  const before = cpuMsOf(subject.pids) ?? 0;
  try {
    await Promise.all(Array.from({ length: concurrency }, caller));
  } finally {
    agent.destroy();
  }
  cell.cpuMs += (cpuMsOf(subject.pids) ?? 0) - before;
  cell.turns.push({ firstMs: p50(samples, "firstMs"), lastMs: p50(samples, "lastMs") });
}

function p50(samples: readonly Sample[], which: keyof Sample): number {
  const sorted = Float64Array.from(samples.map((sample) => sample[which])).toSorted();
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** What a cell adds to the direct connection's p50. */
type Added = (cell: Cell, which: keyof Sample) => number;

/** What is added, in what another subject of the same host adds; null: that subject is this one. */
function ratioText(
  cells: readonly Cell[],
  { cell, name, added }: { cell: Cell; name: ProxySubject["name"]; added: Added },
): { text: string; greatest: number } {
  const other = cells.find(
    ({ subject, kind, concurrency }) =>
      subject.name === name &&
      subject.host === cell.subject.host &&
      kind === cell.kind &&
      concurrency === cell.concurrency,
  );
  if (other === undefined || other === cell) return { text: "", greatest: 0 };
  const ratios = (["firstMs", "lastMs"] as const).map(
    (which) => added(cell, which) / added(other, which),
  );
  return {
    text: ratios.map((each) => `${each.toFixed(2)}×`).join(" "),
    greatest: Math.max(...ratios),
  };
}

const heading = [
  "",
  "c",
  "host",
  "subject",
  "first ms",
  "last ms",
  "added first",
  "added last",
  "of pass-through",
  "of reading",
  "cpu ms",
];

function report(cells: readonly Cell[], say: (line: string) => void): string[] {
  const faults: string[] = [];
  const rows: string[][] = [heading];
  const added: Added = (cell, which) => {
    const direct = cells.find(
      ({ subject, kind, concurrency }) =>
        subject.host === null && kind === cell.kind && concurrency === cell.concurrency,
    );
    return p50(cell.turns, which) - p50(direct?.turns ?? [], which);
  };
  for (const cell of cells) {
    const { kind, concurrency, subject, turns } = cell;
    const { host, name } = subject;
    const isDirect = host === null;
    const hasRatio = !isDirect && name !== "pass-through";
    const ofBare = ratioText(cells, { cell, name: "pass-through", added });
    const ofReading = ratioText(cells, { cell, name: "reading pass-through", added });
    if (name === "router" && ofReading.greatest > most)
      faults.push(`${host} ${kind}, c=${concurrency}: ${ofReading.text} of the reading one's`);
    rows.push([
      isDirect ? kind : "",
      String(concurrency),
      host ?? "",
      name,
      p50(turns, "firstMs").toFixed(2),
      p50(turns, "lastMs").toFixed(2),
      isDirect ? "" : added(cell, "firstMs").toFixed(2),
      isDirect ? "" : added(cell, "lastMs").toFixed(2),
      hasRatio ? ofBare.text : "",
      hasRatio ? ofReading.text : "",
      isDirect ? "" : (cell.cpuMs / cell.asked).toFixed(2),
    ]);
  }
  say(table(rows));
  say(
    "\np50. added: over the direct connection. of pass-through, of reading: of what those add, to the first " +
      "byte and to the last.",
  );
  return faults;
}

export async function benchProxy(
  args: readonly string[],
  ending: Ending,
  say: (line: string) => void,
): Promise<string[]> {
  const options = parseProxyOptions(args);
  const subjects = await startProxySubjects(options, ending);
  const cells: Cell[] = [];
  for (const kind of proxiedKinds)
    for (const concurrency of concurrencies)
      for (const subject of subjects) {
        const message = await proxied(subject, kind);
        cells.push({ subject, kind, concurrency, message, turns: [], cpuMs: 0, asked: 0 });
      }
  say("warming up");
  for (const cell of cells) {
    await turn(cell);
    Object.assign(cell, { turns: [], cpuMs: 0, asked: 0 });
  }
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const cell of cells) await turn(cell);
    say(`round ${round} of ${options.rounds}`);
  }
  say(`\n${machineLine()}\nLoad generator, server and every subject share these cores.\n`);
  return report(cells, say);
}
