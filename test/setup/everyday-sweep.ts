/**
 * The table of `docs/choosing-models.md` that shows what is chosen where nothing is preferred: for each set of credentials, for
 * answers of every length, and for each way to prefer nothing. `npm run docs:sweep` writes it into the page.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { choose } from "../../src/domain/choice/selection.ts";
import { poolFrom } from "../../src/domain/choice/model-pool.ts";
import { seedCatalogue } from "../../src/domain/models/catalogue.ts";
import type { SamplingCall } from "../../src/domain/sampling/call.ts";
import { call, credential } from "../unit/domain/models.fixture.ts";

export const sweptSizes = [10, 64, 256, 1_000, 4_000, 16_000, 32_000, 64_000];
const silences: Readonly<Record<string, Partial<SamplingCall>>> = {
  "no priorities": {},
  "three equal ones": { priorities: { cost: 0.5, speed: 0.5, intelligence: 0.5 } },
  "an unknown hint": { hints: ["no-such-model"] },
};
const sets = [
  "openai",
  "anthropic",
  "google",
  "openai, anthropic",
  "openai, google",
  "anthropic, google",
  "openai, anthropic, google",
  "mistral",
  "xai",
  "deepseek",
  "groq",
  "cohere",
];

/** For each way to prefer nothing, the model for each size. */
export function sweptPicks(providers: readonly string[]): string[][] {
  const pool = poolFrom({
    models: seedCatalogue.models,
    credentials: providers.map((provider) => credential(provider)),
    catalogueVersion: "test",
    policy: {},
  });
  return Object.values(silences).map((silence) =>
    sweptSizes.map((maxTokens) => {
      const plan = choose(call({ ...silence, maxTokens }), pool);
      if (!plan.ok) return plan.error.reason;
      return `${plan.value.decision.provider}/${plan.value.decision.model}`;
    }),
  );
}

/** One name where every size has the same model, else each with the sizes from which it is chosen. */
function cellOf(picks: readonly string[]): string {
  const from = picks.flatMap((pick, at) =>
    pick === picks[at - 1] ? [] : [{ pick, size: sweptSizes[at] }],
  );
  if (from.length === 1) return `\`${picks[0]}\``;
  return from.map(({ pick, size }) => `from ${size}: \`${pick}\``).join(", ");
}

export function sweepTable(): string {
  const head = ["credentials", ...Object.keys(silences)];
  const rows = sets.map((set) => [set, ...sweptPicks(set.split(", ")).map(cellOf)]);
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

const page = new URL("../../docs/choosing-models.md", import.meta.url);
export const sweepPage = (): string => readFileSync(page, "utf8");

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(
    page,
    sweepPage().replace(/\| credentials \| no priorities \|.*(\n\|.*)+/, () => sweepTable()),
  );
