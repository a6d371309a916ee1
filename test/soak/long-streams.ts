/** Streams that are open for long: one event a second, a long silence, and a reader of one byte a second. */
import { setTimeout as wait } from "node:timers/promises";
import { createEnding } from "../../src/start/ending.ts";
import type { Streamed } from "../fakes/recording-provider.ts";
import { readSlowly, startEndlessProvider } from "./held-bytes.ts";
import { rowsOfRenewal, watchLeases } from "./lease-costs.ts";
import {
  modelTenant,
  nameOfPair,
  pairs,
  readNamed,
  recordsByName,
  startNamedProvider,
  whole,
  type Pair,
} from "./stream-cells.ts";
import { reconciled } from "./sums.ts";
import { hostOf, startWorld, type DatabaseName, type Say } from "./world.ts";

const slug = "long-streams";
const secondMs = 1_000;
/** The provider's next event has to come within 300 s. */
const longestSilenceSeconds = 299;
/** In the process for one reader. On Workers, the runtime holds all but 16 KiB of it. */
const maxHeldBytes = { node: 64 * 1024, workerd: 1024 * 1024 };

/** A second of a stream is one event with eight characters. */
const textOf = (seconds: number): string => "A piece.".repeat(seconds);

const endless = { id: "endless", inputUsdPerMTok: 1, outputUsdPerMTok: 1 };

interface Long {
  name: string;
  pair: Pair;
  says: Streamed & { text: string };
}

function longStreams(seconds: number): Long[] {
  const silence = Math.min(longestSilenceSeconds, Math.floor(seconds / 2));
  return pairs.flatMap((pair) => [
    {
      name: `${nameOfPair(pair)}-long`,
      pair,
      says: { ...whole, text: textOf(seconds), pace: () => wait(secondMs) },
    },
    {
      name: `${nameOfPair(pair)}-silent`,
      pair,
      // In the middle of the content of each wire.
      says: {
        ...whole,
        text: textOf(4),
        pace: async (at) => void (at === 5 && (await wait(silence * secondMs))),
      },
    },
  ]);
}

const openSlowly = (base: string, key: string) => {
  const messages = [{ role: "user", content: "Go on." }];
  return readSlowly(`${base}/v1/chat/completions`, {
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model: endless.id, messages, max_tokens: 50, stream: true }),
  });
};

export async function soakLongStreams(
  { database, seconds }: { database: DatabaseName; seconds: number },
  say: Say,
): Promise<string[]> {
  const ending = createEnding();
  try {
    const streams = longStreams(seconds);
    const byName = new Map(streams.map(({ name, says }) => [name, says]));
    const provider = await startNamedProvider((name) => byName.get(name) ?? whole);
    ending.add(() => provider.stop());
    const talker = await startEndlessProvider();
    ending.add(async () => talker.stop());
    const world = await startWorld(ending, { database, routers: 1, scheduleSeconds: 60 });
    const [router] = world.routers;
    if (router === undefined) throw new Error("no router");
    const tenant = await modelTenant(world, slug, { provider, policy: { deadlineMs: 10_000 } });
    const costs = watchLeases(world, tenant, router.stateDir);
    await world.admin("POST", `/tenants/${slug}/credentials`, {
      provider: "openai-compatible",
      name: "endless",
      apiKey: "key",
      baseUrl: talker.url,
      models: [endless],
    });
    const slow = openSlowly(router.url, tenant.key);
    ending.add(async () => slow.stop());
    const faults: string[] = [];
    const open = new Set(streams);
    let maxHeld = 0;
    const reading = streams.map(async (stream) => {
      const { name, pair, says } = stream;
      const read = await readNamed(router.url, tenant, { ...pair, name });
      open.delete(stream);
      if (read !== says.text) faults.push(`${name}: read ${read?.length} of ${says.text.length}`);
    });
    const all = Promise.all(reading);
    for (let at = 0; open.size > 0; at += 1) {
      await Promise.race([all, wait(5 * secondMs)]);
      await costs.look();
      maxHeld = Math.max(maxHeld, talker.taken() - slow.arrived());
      if (at % 12 === 0) say(`${open.size} streams are open, ${costs.renewals()} renewals`);
    }
    slow.stop();
    const rows = database === "objects" ? `${await rowsOfRenewal()} rows each, ` : "";
    say(
      `${streams.length + 1} streams, ${streams.length / 2} of them of ${seconds} s: ${costs.renewals()} renewals of leases, ${rows}${costs.alarms()} alarms`,
    );
    say(`a reader of one byte a second: at most ${maxHeld} bytes held`);
    if (maxHeld > maxHeldBytes[hostOf(database)]) faults.push(`${maxHeld} bytes are held for it`);
    return [...faults, ...(await faultsOfRecords())];

    async function faultsOfRecords(): Promise<string[]> {
      let records = await recordsByName(world, slug, tenant);
      const isOpen = (): boolean =>
        [...records.values()].flat().some(({ outcome }) => outcome === "admitted");
      for (const until = performance.now() + 60_000; isOpen() && performance.now() < until;) {
        await wait(secondMs);
        records = await recordsByName(world, slug, tenant);
      }
      const wrong = streams.flatMap(({ name }) => {
        const [record, ...more] = records.get(name) ?? [];
        const isRight = record?.outcome === "succeeded" && more.length === 0;
        return isRight ? [] : [`${name}: ${record?.outcome}, ${more.length} more records`];
      });
      return [...wrong, ...(await reconciled(world, tenant, { rates: false }))];
    }
  } finally {
    await ending.run();
  }
}
