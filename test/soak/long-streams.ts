/** Streams that are open for long: one event a second, a long silence, and a reader of one byte a second. */
import { setTimeout as wait } from "node:timers/promises";
import { createEnding, type Ending } from "../../src/start/ending.ts";
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
import { hostOf, startWorld, type DatabaseName, type Say, type World } from "./world.ts";

const slug = "long-streams";
const secondMs = 1_000;
/** The provider's next event has to come within 300 s. */
const longestSilenceSeconds = 299;
/** In the process for one reader. On Workers, the runtime holds all but 16 KiB of it. */
const maxHeldBytes = {
  "chat/completions": { node: 64 * 1024, workerd: 1024 * 1024 },
  /** Translated: each of the library's parsers holds a chunk. 118 to 129 KiB were measured, with events of 8 KiB. */
  messages: { node: 144 * 1024, workerd: 1536 * 1024 },
};
const slowPaths = ["chat/completions", "messages"] as const;

/** A second of a stream is one event with eight characters. */
const textOf = (seconds: number): string => "A piece.".repeat(seconds);

const endless = { inputUsdPerMTok: 1, outputUsdPerMTok: 1 };

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

/** @returns by endpoint, how much is held for its reader */
async function openSlowly(
  { ending, world, key }: { ending: Ending; world: World; key: string },
  base: string,
) {
  const readers = slowPaths.map(async (path) => {
    const talker = await startEndlessProvider();
    ending.add(async () => talker.stop());
    const name = `endless-${path.replace("/", "-")}`;
    await world.admin("POST", `/tenants/${slug}/credentials`, {
      provider: "openai-compatible",
      name,
      apiKey: "key",
      baseUrl: talker.url,
      models: [{ id: name, ...endless }],
    });
    const messages = [{ role: "user", content: "Go on." }];
    const slow = readSlowly(`${base}/v1/${path}`, {
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ model: name, messages, max_tokens: 50, stream: true }),
    });
    ending.add(async () => slow.stop());
    return { path, slow, held: () => talker.taken() - slow.arrived() };
  });
  return Promise.all(readers);
}

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
    const world = await startWorld(ending, { database, routers: 1, scheduleSeconds: 60 });
    const [router] = world.routers;
    if (router === undefined) throw new Error("no router");
    const tenant = await modelTenant(world, slug, { provider, policy: { deadlineMs: 10_000 } });
    const costs = watchLeases(world, tenant, router.stateDir);
    const slow = await openSlowly({ ending, world, key: tenant.key }, router.url);
    const faults: string[] = [];
    const open = new Set(streams);
    const maxHeld = { "chat/completions": 0, messages: 0 };
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
      for (const { path, held } of slow) maxHeld[path] = Math.max(maxHeld[path], held());
      if (at % 12 === 0) say(`${open.size} streams are open, ${costs.renewals()} renewals`);
    }
    for (const each of slow) each.slow.stop();
    const rows = database === "objects" ? `${await rowsOfRenewal()} rows each, ` : "";
    say(
      `${streams.length + slow.length} streams, ${streams.length / 2} of them of ${seconds} s: ${costs.renewals()} renewals of leases, ${rows}${costs.alarms()} alarms`,
    );
    for (const { path } of slow) {
      say(`a reader of one byte a second at ${path}: at most ${maxHeld[path]} bytes held`);
      if (maxHeld[path] > maxHeldBytes[path][hostOf(database)])
        faults.push(`${maxHeld[path]} bytes are held for it`);
    }
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
