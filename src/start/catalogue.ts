/** `npm run catalogue -- sync|show`: the synced catalogue of each database at DATABASE_URL and DATABASE_URLS. */
import { createCatalogueSource } from "../catalogue/source.ts";
import { versionOf } from "../catalogue/version.ts";
import { defaultCatalogueUrl } from "../config.ts";
import { seedCatalogue } from "../domain/catalogue.ts";
import type { CatalogueChanges, Price } from "../domain/catalogue-sync.ts";
import type { CatalogueStore } from "../domain/catalogues.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { syncNow } from "../pipeline/scheduled/catalogue.ts";
import { createCatalogueStore } from "../store/catalogues.ts";
import { openLibsql } from "../store/db.ts";
import { connect } from "./migrations.ts";
import { parseSettings } from "./settings.ts";

type Done = Promise<Result<string[], string>>;

const usage = "usage: npm run catalogue -- sync|show";
const unreachable = err("the database does not answer, or has no migrations: npm run db:migrate");

const instant = (ms: number | null): string => (ms === null ? "never" : new Date(ms).toISOString());
const priced = ({ input, output }: Price): string => `${input ?? "?"}/${output ?? "?"}`;

function linesOf({ added, retired, repriced, odd }: CatalogueChanges): string[] {
  return [
    ...added.map((model) => `+ ${model}`),
    ...retired.map((model) => `- ${model} (retired)`),
    ...repriced.map(
      ({ model, from, to }) =>
        `$ ${model}: ${priced(from)} -> ${priced(to)} USD per million tokens`,
    ),
    ...odd.map((model) => `? ${model}: its new price can't be right, and was left out`),
    `${added.length} added, ${retired.length} retired, ${repriced.length} prices changed.`,
  ];
}

async function sync(catalogues: CatalogueStore): Done {
  const url = process.env["CATALOGUE_URL"] || defaultCatalogueUrl;
  const outcome = await syncNow({
    catalogues,
    source: createCatalogueSource({ url, fetch }),
    seed: seedCatalogue,
    versionOf,
    now: () => Date.now(),
  });
  if (!outcome.ok) return unreachable;
  switch (outcome.value.state) {
    case "refused":
      return err(`${url} is not taken, and the catalogue stays as it was: ${outcome.value.fault}`);
    case "unchanged":
      return ok([`Nothing new: version ${outcome.value.version}.`]);
    case "synced":
      return ok([...linesOf(outcome.value.changes), `Version ${outcome.value.version}.`]);
  }
}

async function show(catalogues: CatalogueStore): Done {
  const state = await catalogues.state();
  const stored = await catalogues.newerThan(seedCatalogue.version);
  if (!state.ok || !stored.ok) return unreachable;
  const { version, models } = stored.value ?? seedCatalogue;
  const providers = Map.groupBy(models, ({ provider }) => provider);
  return ok([
    `Version ${version}${stored.value === null ? ", the seed" : ""}.`,
    `Synced ${instant(state.value?.syncedAt ?? null)}, next due ${instant(state.value?.dueAt ?? null)}.`,
    ...(state.value?.fault ? [`The last file was not taken: ${state.value.fault}`] : []),
    ...[...providers].map(([provider, its]) => {
      const retired = its.filter(({ status }) => status === "retired").length;
      return `${provider}: ${its.length - retired} models${retired > 0 ? `, ${retired} retired` : ""}`;
    }),
  ]);
}

async function run([command]: string[]): Done {
  if (command !== "sync" && command !== "show") return err(usage);
  const settings = parseSettings(process.env);
  if (!settings.ok) return settings;
  const { databases } = settings.value;
  if (databases.length === 0)
    return err(
      "DATABASE_URL is missing. With D1, the deployed Worker syncs by itself once a day; to see the state: " +
        `npx wrangler d1 execute DB --remote --command "select * from catalogue_meta", and to have it ` +
        `within a minute: --command "update catalogue_meta set due_at = 0"`,
    );
  const lines: string[] = [];
  for (const database of databases) {
    const client = connect(database);
    const catalogues = createCatalogueStore(openLibsql(client));
    const done = await (command === "sync" ? sync(catalogues) : show(catalogues));
    client.close();
    const heading = databases.length > 1 ? [`${database.name}:`] : [];
    if (!done.ok) return err([...lines, ...heading, done.error].join("\n"));
    lines.push(...heading, ...done.value);
  }
  return ok(lines);
}

const done = await run(process.argv.slice(2));
if (done.ok) process.stdout.write(`${done.value.join("\n")}\n`);
else {
  process.stderr.write(`sampling-router: ${done.error}\n`);
  process.exitCode = 1;
}
