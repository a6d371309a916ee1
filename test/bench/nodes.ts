/** `npm run bench -- nodes`: admission of calls that name sixteen nodes, beside calls that name one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEnding, type Ending } from "../../src/start/ending.ts";
import type { LimitedScope } from "../../src/domain/limits/limit-checks.ts";
import { migrate } from "../../src/store/migrations.ts";
import { openOverEngine } from "../../src/store/over-engine.ts";
import type { Database } from "../../src/store/db.ts";
import { caller, reservation, settlement, type Caller } from "../contract/store/fixtures.ts";
import { nodesOfOneCall } from "../contract/store/nodes.suite.ts";
import { storesOn, value } from "../contract/store/open.ts";
import { startEngine } from "../setup/engine.ts";
import { readMigrations } from "../setup/migrations.ts";
import { median, ratioOf } from "./figures.ts";
import { openMeasured } from "./ledger-databases.ts";
import { startObjectHost } from "./object-host.ts";
import { orderOf } from "./pairs.ts";

type Say = (line: string) => void;

const turns = 20;
const callsOfTurn = 50;
const maxRatio = 1.3;
/** One budget for each node, which is counted and never reached. */
const limits = { usdPerMonth: 100_000_000 };

const databases = ["embedded", "sqld", "object"] as const;
type Name = (typeof databases)[number];

interface Opened {
  db: Database;
  /** rows that every commit since the last call wrote; null: this database does not count them */
  takeWritten: (() => Promise<number[]>) | null;
}

async function openEmbedded(ending: Ending): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "router-nodes-"));
  ending.add(() => rmSync(folder, { recursive: true, force: true }));
  const engine = await startEngine(join(folder, "database.sqlite"));
  ending.add(() => engine.close());
  return { db: openOverEngine(engine, { timeoutMs: 60_000 }), takeWritten: null };
}

const openings: Record<Name, (ending: Ending) => Promise<Opened>> = {
  embedded: openEmbedded,
  sqld: async (ending) => ({ db: (await openMeasured("sqld", ending)).db, takeWritten: null }),
  async object(ending) {
    const { db, object, stop } = await startObjectHost();
    ending.add(stop);
    return { db, takeWritten: () => object.takeWritten() };
  },
};

const nodesOfCall = (who: Caller): LimitedScope[] =>
  nodesOfOneCall(who).map((node) => ({ ...node, limits }));

interface Asked {
  stores: ReturnType<typeof storesOn>;
  who: Caller;
  nodes: readonly LimitedScope[];
}

/** ms that one admission took, and what settles the call. */
async function admitOne({ stores: { ledger }, who, nodes }: Asked) {
  const reserved = reservation(who, Date.now(), { nodes });
  const from = performance.now();
  const admission = value(await ledger.admit(reserved));
  const ms = performance.now() - from;
  if (admission.state !== "admitted") throw new Error(`${admission.state} and not admitted`);
  const { receipt } = admission;
  const settle = async (): Promise<void> => {
    if (!value(await ledger.settle(settlement(reserved, Date.now(), { receipt }))))
      throw new Error("not settled");
  };
  return { ms, settle };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** In the first call of an hour more is written, so a call goes before. */
async function sayWritten(
  takeWritten: () => Promise<number[]>,
  asked: Asked,
  say: Say,
): Promise<void> {
  await (await admitOne(asked)).settle();
  await takeWritten();
  const { settle } = await admitOne(asked);
  const admitted = sum(await takeWritten());
  await settle();
  const settled = sum(await takeWritten());
  say(
    `  with ${asked.nodes.length} nodes an admission writes ${admitted} rows, a settlement ${settled}, those of indexes counted`,
  );
}

type P50s = Record<"subject" | "baseline", number[]>;

/** ms by turn. */
async function p50sOn(stores: Asked["stores"], who: Caller): Promise<P50s> {
  const all = nodesOfCall(who);
  const nodesOf = { subject: all, baseline: all.slice(0, 1) };
  const p50s = { subject: [] as number[], baseline: [] as number[] };
  for (let turn = -2; turn < turns; turn += 1)
    for (const side of orderOf(turn)) {
      const times: number[] = [];
      while (times.length < callsOfTurn) {
        const { ms, settle } = await admitOne({ stores, who, nodes: nodesOf[side] });
        times.push(ms);
        await settle();
      }
      if (turn >= 0) p50s[side].push(median(times));
    }
  return p50s;
}

async function benchOn(name: Name, say: Say): Promise<string[]> {
  const ending = createEnding();
  try {
    const { db, takeWritten } = await openings[name](ending);
    value(await migrate(db, readMigrations()));
    const stores = storesOn(db);
    const who = await caller(stores);
    const { subject: sixteen, baseline: one } = await p50sOn(stores, who);
    const ratio = ratioOf(sixteen.map((ms, turn) => ms / (one[turn] ?? Number.NaN)));
    say(
      `${name}: admit p50 of 16 nodes with a budget each ${median(sixteen).toFixed(2)} ms, of 1 node ${median(one).toFixed(2)} ms; ratio ${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)} to ${ratio.max.toFixed(2)}, ${turns} pairs of ${callsOfTurn} calls, ABBA)`,
    );
    const all = nodesOfCall(who);
    if (takeWritten !== null)
      for (const nodes of [all.slice(0, 1), all])
        await sayWritten(takeWritten, { stores, who, nodes }, say);
    return ratio.median > maxRatio
      ? [`${name}: ratio ${ratio.median.toFixed(2)} is above ${maxRatio}`]
      : [];
  } finally {
    await ending.run();
  }
}

/** Calls one after the other: what is compared is the work of one admission, and no queue. */
export async function benchNodes(args: readonly string[], say: Say): Promise<string[]> {
  const faults: string[] = [];
  for (const name of databases)
    if (args.length === 0 || args.includes(name)) faults.push(...(await benchOn(name, say)));
  return faults;
}
