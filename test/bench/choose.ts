/** `npm run bench -- choose`: what a choice costs with its decision, 5,000 models in the catalogue. */
import { Bench } from "tinybench";
import { seedCatalogue } from "../../src/domain/models/catalogue.ts";
import { poolFrom, type ModelPool } from "../../src/domain/choice/model-pool.ts";
import type { Model } from "../../src/domain/models/model.ts";
import type { SamplingCall } from "../../src/domain/sampling/call.ts";
import { choose } from "../../src/domain/choice/selection.ts";

const catalogueSize = 5_000;
const dozens = 12;

/** The seed's models again and again, under other names and at ever more providers. */
const models: Model[] = Array.from(
  { length: Math.ceil(catalogueSize / seedCatalogue.models.length) },
  (_, copy) =>
    seedCatalogue.models.map((model) => ({
      ...model,
      id: `${model.id}-${copy}`,
      provider: copy === 0 ? model.provider : `${model.provider}-${copy % dozens}`,
    })),
)
  .flat()
  .slice(0, catalogueSize);

const fieldWith = (providers: readonly string[]): ModelPool =>
  poolFrom({
    models,
    credentials: providers.map((provider) => ({
      id: `cred_${provider}`,
      provider,
      status: "active",
      models: null,
    })),
    catalogueVersion: "bench",
    policy: { deniedModels: ["*/*-pro-*"] },
  });

const call: SamplingCall = {
  messages: [{ role: "user", content: [{ type: "text", text: "Say hello." }] }],
  maxTokens: 500,
  hints: ["nobody-knows-this-one", "sonnet"],
  priorities: { cost: 0.7 },
  includeContext: "none",
  stopSequences: [],
  tools: [],
  metadata: {},
  outputModalities: ["text"],
};

const tenants: Record<string, readonly string[]> = {
  "three providers": ["openai", "anthropic", "google"],
  "eight providers": [
    "openai",
    "anthropic",
    "google",
    "openai-1",
    "openai-2",
    "google-1",
    "anthropic-1",
    "mistral",
  ],
  "seventeen providers": [
    "openai",
    "anthropic",
    "google",
    ...[1, 2, 3, 4].flatMap((copy) => [`openai-${copy}`, `google-${copy}`]),
    ...[1, 2, 3, 4, 5].map((copy) => `anthropic-${copy}`),
    "mistral",
  ],
  "every provider": [...new Set(models.map(({ provider }) => provider))],
};

const width = 28;

export async function benchChoice(say: (line: string) => void): Promise<void> {
  const bench = new Bench({ time: 1_000, warmupTime: 300 });
  const feasible = new Map<string, number>();
  for (const [name, providers] of Object.entries(tenants)) {
    const field = fieldWith(providers);
    const plan = choose(call, field);
    if (!plan.ok) throw new Error(`${name}: ${plan.error.reason}`);
    const { candidates } = plan.value.decision;
    feasible.set(name, candidates.filter((its) => its.excludedBy === undefined).length);
    bench.add(name, () => void choose(call, field));
  }
  await bench.run();
  say(`One choice, ${models.length} models in the catalogue:\n`);
  say(
    `${"tenant with".padEnd(width)}${"feasible".padStart(9)}${"p50 µs".padStart(10)}${"p99 µs".padStart(10)}`,
  );
  for (const { name, result } of bench.tasks) {
    if (!("latency" in result)) throw new Error(`${name} did not run`);
    const micros = (ms: number): string => (ms * 1_000).toFixed(0).padStart(10);
    const { p50, p99 } = result.latency;
    const count = String(feasible.get(name));
    say(`${name.padEnd(width)}${count.padStart(9)}${micros(p50)}${micros(p99)}`);
  }
}
