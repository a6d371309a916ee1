/** Providers' streams that break before each of their events, in each way, for each pair of wires: what clients see and are charged. */
import { setTimeout as wait } from "node:timers/promises";
import { createEnding } from "../../src/start/ending.ts";
import type { Streamed } from "../fakes/recording-provider.ts";
import { eventsAt, type Broken } from "../fakes/wire-streams.ts";
import {
  modelTenant,
  nameOfPair,
  pairs,
  readNamed,
  recordsByName,
  startNamedProvider,
  text,
  whole,
  type NamedProvider,
  type NamedRecord,
  type Pair,
} from "./stream-cells.ts";
import { reconciled } from "./sums.ts";
import { crowd, startWorld, type DatabaseName, type Say } from "./world.ts";

/** For streams that stall, before their first content and after it. */
const [deadlineMs, silenceSeconds] = [3_000, 2];
const callers = 24;
const slug = "stream-cuts";
const firstPiece = text.slice(0, 8);
/** ms between an event and the break, so that it travels by itself */
const pauseMs = 5;
const ways = ["cut", "clean", "error", "stall", "garbage"] as const satisfies Broken[];

interface Cell extends Pair {
  name: string;
  breaks: { after: number; how: Broken };
}

/** Chat's last event says nothing new, so a clean end before it is an end. */
const isWhole = (events: readonly string[], { after, how }: Cell["breaks"]): boolean =>
  how === "clean" && after === events.length - 1 && events.at(-1)?.includes("[DONE]") === true;

const cells: readonly Cell[] = pairs.flatMap((pair) => {
  const events = eventsAt(pair.wire, whole);
  return ways
    .flatMap((how) => [...events.keys()].map((after) => ({ after, how })))
    .filter((breaks) => !isWhole(events, breaks))
    .map((breaks) => ({
      ...pair,
      breaks,
      name: `${nameOfPair(pair)}-${breaks.how}-${breaks.after}`,
    }));
});
const cellsByName = new Map(cells.map((cell) => [cell.name, cell]));

function said(name: string): Streamed {
  const cell = cellsByName.get(name);
  if (cell === undefined) return whole;
  const { breaks } = cell;
  return {
    ...whole,
    breaks,
    pace: async (at) => void (at === breaks.after && (await wait(pauseMs))),
  };
}

/** An error before any content is not billed. Everything else is, as if the whole answer had been written. */
const isBilled = ({ wire, breaks }: Cell): boolean =>
  breaks.how !== "error" ||
  eventsAt(wire, whole)
    .slice(0, breaks.after)
    .some((event) => event.includes(firstPiece));

function faultsOf(
  cell: Cell,
  about: {
    records: readonly NamedRecord[];
    read: string | null | undefined;
    asked: ReturnType<NamedProvider["asked"]["get"]>;
    /** micro-USD */
    costOfWhole: number;
  },
): string[] {
  const { records, read, asked = { times: 0, wire: null }, costOfWhole } = about;
  const [record] = records;
  if (record === undefined || records.length > 1) return [`${records.length} records: ${read}`];
  const { outcome, attempts, reserved, cost } = record;
  const billed = isBilled(cell) ? asked.times * costOfWhole : 0;
  const holds: [boolean, string][] = [
    [asked.wire === cell.wire, `the provider was asked by ${asked.wire}`],
    [read === null, `the client read to a clean end: ${read}`],
    [outcome === "failed", outcome],
    [attempts.at(-1)?.stream?.status === "interrupted", `attempts: ${JSON.stringify(attempts)}`],
    [cost >= billed, `charged ${cost}, and billed ${billed}`],
    [cost <= reserved, `charged ${cost}, and reserved ${reserved}`],
  ];
  return holds.flatMap(([isSo, otherwise]) => (isSo ? [] : [otherwise]));
}

export async function soakStreamCuts(
  { database }: { database: DatabaseName },
  say: Say,
): Promise<string[]> {
  const ending = createEnding();
  try {
    const provider = await startNamedProvider(said);
    ending.add(() => provider.stop());
    const env = { STREAM_SILENCE_SECONDS: String(silenceSeconds) };
    const world = await startWorld(ending, { database, routers: 1, scheduleSeconds: 2, env });
    const limits = { usdPerDay: 10_000, tokensPerMinute: 100_000_000 };
    const tenant = await modelTenant(world, slug, { provider, policy: { deadlineMs, limits } });
    const base = world.routers[0]?.url ?? "";
    const faults: string[] = [];
    // First, since nothing has failed yet.
    for (const pair of pairs) {
      const read = await readNamed(base, tenant, { ...pair, name: nameOfPair(pair) });
      if (read !== text) faults.push(`${nameOfPair(pair)}: read ${read}`);
    }
    const read = new Map<string, string | null>();
    await crowd(callers, cells.length, async (number) => {
      const cell = cells[number];
      if (cell !== undefined) read.set(cell.name, await readNamed(base, tenant, cell));
    });
    const records = await recordsByName(world, slug, tenant);
    for (const cell of cells) {
      const { name } = cell;
      const found = faultsOf(cell, {
        records: records.get(name) ?? [],
        read: read.get(name),
        asked: provider.asked.get(name),
        costOfWhole: records.get(nameOfPair(cell))?.[0]?.cost ?? Infinity,
      });
      faults.push(...found.map((fault) => `${name}: ${fault}`));
    }
    say(`${cells.length} streams broke, of ${pairs.length} pairs of wires`);
    return [...faults, ...(await reconciled(world, tenant, { rates: false }))];
  } finally {
    await ending.run();
  }
}
