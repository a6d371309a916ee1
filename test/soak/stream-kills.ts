/** A process is killed while streams wait after each of their events: what the next one says of them, and charges. */
import { setTimeout as wait } from "node:timers/promises";
import { leaseSlackMs } from "../../src/domain/leases.ts";
import { createEnding } from "../../src/start/ending.ts";
import type { Streamed } from "../fakes/recording-provider.ts";
import { eventsAt } from "../fakes/wire-streams.ts";
import {
  modelTenant,
  nameOfPair,
  pairs,
  readNamed,
  recordsByName,
  startNamedProvider,
  whole,
  type NamedRecord,
  type Pair,
} from "./stream-cells.ts";
import { reconciled } from "./sums.ts";
import {
  below,
  startWorld,
  type DatabaseName,
  type Say,
  type Tenant,
  type World,
} from "./world.ts";

/** All streams of a round have begun by then, also on a busy machine. */
const deadlineMs = 20_000;
/** for the sweep, after the last lease */
const patienceMs = 60_000;
const slug = "stream-kills";
const limits = { usdPerDay: 10_000, tokensPerMinute: 100_000_000 };

interface Cell extends Pair {
  name: string;
  /** events that come, but never the last one */
  after: number;
}

const cellsOf = (round: number): Cell[] =>
  pairs.flatMap((pair) =>
    Array.from({ length: eventsAt(pair.wire, whole).length }, (_, after) => ({
      ...pair,
      after,
      name: `${nameOfPair(pair)}-${after}-${round}`,
    })),
  );

/** Streams that stop where their cell says, and how many have by now. */
function createStops(cells: readonly Cell[]) {
  const places = new Map(cells.map(({ name, after }) => [name, after]));
  let stopped = 0;
  return {
    stopped: () => stopped,
    says: (name: string): Streamed => ({
      ...whole,
      async pace(at) {
        if (at !== places.get(name)) return;
        stopped += 1;
        return new Promise(() => {});
      },
    }),
  };
}

function faultsOf(records: readonly NamedRecord[], read: string | null | undefined): string[] {
  const [record] = records;
  if (record === undefined || records.length > 1) return [`${records.length} records`];
  const { outcome, reserved, cost } = record;
  return [
    ...(read === null ? [] : [`the client read to a clean end: ${read}`]),
    ...(outcome === "unknown" ? [] : [outcome]),
    ...(cost === reserved ? [] : [`charged ${cost}, and reserved ${reserved}`]),
  ];
}

/** Where a budget is as large as what the lost calls were charged, no other call is admitted. */
async function faultsOfBudget(
  { world, tenant, base }: { world: World; tenant: Tenant; base: string },
  chargedMicroUsd: number,
): Promise<string[]> {
  const [pair] = pairs;
  if (pair === undefined) return [];
  const usdPerDay = chargedMicroUsd / 1e6;
  await world.admin("PUT", `/tenants/${slug}/policy`, { limits: { ...limits, usdPerDay } });
  const read = await readNamed(base, tenant, { ...pair, name: "one-more" });
  const [record] = (await recordsByName(world, slug, tenant)).get("one-more") ?? [];
  return record?.outcome === "refused" && record.reason === "budget_exceeded"
    ? []
    : [`a call beyond the budget: ${record?.outcome}, ${record?.reason}, read ${read}`];
}

export async function soakStreamKills(
  { database, rounds }: { database: DatabaseName; rounds: number },
  say: Say,
): Promise<string[]> {
  const ending = createEnding();
  try {
    const cells = Array.from({ length: rounds }, (_, round) => cellsOf(round));
    const stops = createStops(cells.flat());
    const provider = await startNamedProvider(stops.says);
    ending.add(() => provider.stop());
    const world = await startWorld(ending, { database, routers: 1, scheduleSeconds: 2 });
    const tenant = await modelTenant(world, slug, { provider, policy: { deadlineMs, limits } });
    let [router] = world.routers;
    const read = new Map<string, string | null>();
    for (const ofRound of cells) {
      const base = router?.url ?? "";
      const before = stops.stopped();
      const reading = ofRound.map(async (cell) => {
        read.set(cell.name, await readNamed(base, tenant, cell));
      });
      const until = performance.now() + deadlineMs;
      while (stops.stopped() - before < ofRound.length && performance.now() < until) await wait(10);
      // The last events are still on their way.
      await wait(200 + below(200));
      await router?.kill9();
      await Promise.all(reading);
      say(`${stops.stopped() - before} of ${ofRound.length} streams waited at the kill`);
      router = await world.another();
    }
    const until = performance.now() + deadlineMs + leaseSlackMs + patienceMs;
    let records = await recordsByName(world, slug, tenant);
    while (
      performance.now() < until &&
      [...records.values()].flat().some(({ outcome }) => outcome === "admitted")
    ) {
      await wait(1_000);
      records = await recordsByName(world, slug, tenant);
    }
    const faults = cells
      .flat()
      .flatMap(({ name }) =>
        faultsOf(records.get(name) ?? [], read.get(name)).map((fault) => `${name}: ${fault}`),
      );
    const charged = [...records.values()].flat().reduce((sum, { cost }) => sum + cost, 0);
    say(`${records.size} records, charged ${charged / 1e6} USD`);
    const base = router?.url ?? "";
    return [
      ...faults,
      ...(await faultsOfBudget({ world, tenant, base }, charged)),
      ...(await reconciled(world, tenant, { rates: false })),
    ];
  } finally {
    await ending.run();
  }
}
