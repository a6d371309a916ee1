/**
 * The synced catalogue at DATABASE_URL, or of the deployment at `--url https://router.example` with
 * ADMIN_TOKEN.
 */
import { parseArgs } from "node:util";
import { createCatalogueSource } from "../catalogue/source.ts";
import { versionOf } from "../catalogue/version.ts";
import { defaultCatalogueUrl } from "../config.ts";
import { counted } from "../domain/counted.ts";
import { seedCatalogue } from "../domain/models/catalogue.ts";
import { isEstimated } from "../domain/models/model.ts";
import { catalogueOn } from "../domain/models/retirement.ts";
import type { CatalogueStore } from "../domain/ports/catalogues.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { syncNow } from "../pipeline/scheduled/catalogue.ts";
import { createCatalogueStore } from "../store/tenants/catalogues.ts";
import { openLibsql } from "../store/db.ts";
import { linesOfState, linesOfSync } from "./catalogue-lines.ts";
import { remoteCatalogue } from "./catalogue-remote.ts";
import { commandLine } from "../start/called.ts";
import { connect } from "../start/migrations.ts";
import { parseSettings } from "../start/settings.ts";

type Done = Promise<Result<string[], string>>;

interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  fetch: typeof fetch;
}

export const usage = `usage: ${commandLine("catalogue", "sync|show [--url https://router.example]")}
       ${commandLine("catalogue", "refresh [--models-dev api.json --day 2026-07-02]")}
Syncs or shows the catalogue of the database at DATABASE_URL, also while routers run; with --url, of that deployment, using ADMIN_TOKEN. \`refresh\` rebuilds the catalogue that ships with the
router, in a checkout: from curated.json, the models that providers list for the keys in OPENAI_API_KEY,
ANTHROPIC_API_KEY and GEMINI_API_KEY, models.dev (or a file of it, of that day), and the pinned packages.`;
const unreachable = err(
  `the database does not answer, or has no migrations: ${commandLine("db:migrate")}`,
);

/** A manual sync works even if the daily one is off. */
const urlIn = ({ CATALOGUE_URL: url = "" }: Surroundings["env"]): string =>
  url === "" || url === "off" ? defaultCatalogueUrl : url;

async function sync(catalogues: CatalogueStore, { env, fetch }: Surroundings): Done {
  const url = urlIn(env);
  const outcome = await syncNow({
    catalogues,
    source: createCatalogueSource({ url, fetch }),
    seed: seedCatalogue,
    versionOf,
    now: () => Date.now(),
  });
  return outcome.ok ? linesOfSync(outcome.value, url) : unreachable;
}

async function show(catalogues: CatalogueStore): Done {
  const state = await catalogues.state();
  const stored = await catalogues.newerThan(seedCatalogue.version);
  if (!state.ok || !stored.ok) return unreachable;
  const { version, models } = catalogueOn(stored.value ?? seedCatalogue, Date.now());
  const providers = Map.groupBy(models, ({ provider }) => provider);
  const { syncedAt = null, dueAt = null, fault = null } = state.value ?? {};
  return ok([
    ...linesOfState({ version, syncedAt, dueAt, fault }),
    ...[...providers].map(([provider, listed]) => {
      const served = listed.filter(({ status }) => status !== "retired");
      const retired = listed.length - served.length;
      const estimated = served.filter(isEstimated).length;
      return [
        `${provider}: ${counted(served.length, "model")}`,
        ...(estimated > 0 ? [`${estimated} estimated`] : []),
        ...(retired > 0 ? [`${retired} retired`] : []),
      ].join(", ");
    }),
  ]);
}

type Arguments =
  | { command: "sync" | "show"; url: string | null }
  | { command: "refresh"; file: string | null; day: string; today: string };

function argumentsOf(given: string[]): Arguments | null {
  try {
    const { positionals, values } = parseArgs({
      args: given,
      options: {
        url: { type: "string" },
        "models-dev": { type: "string" },
        day: { type: "string" },
      },
      allowPositionals: true,
    });
    const [command] = positionals;
    if (positionals.length > 1) return null;
    const { url = null, "models-dev": file = null, day } = values;
    const today = new Date().toISOString().slice(0, 10);
    if (command === "refresh" && url === null && (file === null) === (day === undefined))
      return { command, file, day: day ?? today, today };
    if ((command !== "sync" && command !== "show") || file !== null || day !== undefined)
      return null;
    return { command, url };
  } catch {
    return null;
  }
}

export async function runCatalogue(given: string[], about: Surroundings): Done {
  const { env, fetch } = about;
  const asked = argumentsOf(given);
  if (asked === null) return err(usage);
  if (asked.command === "refresh") {
    // Its sources are development dependencies.
    const { refresh } = await import("./refresh/refresh.ts");
    const { file, day, today } = asked;
    return refresh({ file, day, today, url: urlIn(env), env, fetch });
  }
  const { command, url: remote } = asked;
  if (remote !== null)
    return remoteCatalogue({ command, url: remote, token: env["ADMIN_TOKEN"], fetch });
  const settings = parseSettings(env);
  if (!settings.ok) return settings;
  const { database } = settings.value;
  if (database === null)
    return err(
      "DATABASE_URL is missing. A deployment syncs automatically once a day; to sync now, with its " +
        `operator's token in ADMIN_TOKEN: ${commandLine("catalogue", `${command} --url https://router.example`)}`,
    );
  const client = connect(database);
  const catalogues = createCatalogueStore(openLibsql(client));
  const done = await (command === "sync" ? sync(catalogues, about) : show(catalogues));
  client.close();
  return done;
}
