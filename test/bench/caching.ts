/**
 * `npm run bench -- caching`: a loop of ten rounds with and without prompt caching, tokens by class and the
 * price by the list. Simulated: a fake provider counts by the documented rules of the cache.
 */
import { startCachingProvider } from "../fakes/caching-provider.ts";
import {
  listPrice,
  loopCall,
  promptPrefixes,
  providersWith,
  runLoop,
  seedModel,
  tokensByClass,
  type Asking,
  type TokensByClass,
} from "../fixtures/caching-loop.ts";

const models = [
  "anthropic/claude-sonnet-4-5",
  "anthropic/claude-haiku-4-5",
  "anthropic/claude-opus-4-8",
];
/** The tenth round answers. */
const toolRounds = 9;
const msBetweenRounds = 10_000;

interface Row {
  model: string;
  promptCaching: Asking["promptCaching"];
  tokens: TokensByClass;
  microUsd: number;
}

async function loopOf(name: string, promptCaching: Asking["promptCaching"]): Promise<Row> {
  let time = 0;
  const now = (): number => time;
  const fake = await startCachingProvider({ now, toolRounds });
  try {
    const model = seedModel(name);
    const providers = providersWith(await promptPrefixes(now), now);
    const pass = (): void => void (time += msBetweenRounds);
    await runLoop({ fake, providers, model, promptCaching }, { call: loopCall(), pass });
    const tokens = tokensByClass(fake.usages());
    return { model: name, promptCaching, tokens, microUsd: listPrice(model, tokens) };
  } finally {
    await fake.stop();
  }
}

const number = (value: number, width = 10): string =>
  Math.round(value).toLocaleString("en-US").padStart(width);

/** What is wrong; empty: nothing. */
export async function benchCaching(say: (line: string) => void): Promise<string[]> {
  const faults: string[] = [];
  say("SIMULATED: a fake provider applies Anthropic's documented cache rules; prices by the list.");
  say("One loop of ten rounds: nine uses of a tool, then the answer.\n");
  say(
    `${"model".padEnd(30)}${"caching".padEnd(9)}${["plain", "read", "written", "output", "micro-USD"].map((each) => each.padStart(10)).join("")}`,
  );
  for (const name of models) {
    const off = await loopOf(name, "off");
    const auto = await loopOf(name, "auto");
    for (const { model, promptCaching, tokens, microUsd } of [off, auto]) {
      const { plain, read, written, output } = tokens;
      say(
        `${model.padEnd(30)}${promptCaching.padEnd(9)}${[plain, read, written, output, microUsd].map((each) => number(each)).join("")}`,
      );
    }
    const share = (100 * auto.microUsd) / off.microUsd;
    say(`${"".padEnd(30)}with caching: ${share.toFixed(0)} % of the price without\n`);
    if (auto.microUsd >= off.microUsd) faults.push(`${name}: caching did not pay`);
  }
  return faults;
}
