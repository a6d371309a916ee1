/** `npm run catalogue -- refresh`: rebuilds the bundled catalogue. */
import { readFileSync, writeFileSync } from "node:fs";
import { createCatalogueSource } from "../../catalogue/source.ts";
import { parseModelsDev } from "../../catalogue/models-dev.ts";
import { nameOf } from "../../domain/models/model.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { Environment } from "../../start/provider-settings.ts";
import { buildCatalogue, catalogueText, takenText, type Catalogue, type Curated } from "./build.ts";
import type { Figures, Source } from "./figures.ts";
import { readGenaiPrices } from "./genai-prices.ts";
import {
  contradictionsOf,
  linesOfMissing,
  missingFrom,
  readProviderLists,
  sourceOf,
} from "./provider-lists.ts";
import { typedModels } from "./typed-ids.ts";

const root = new URL("../../../", import.meta.url);
const folder = new URL("src/domain/models/", root);
const priceList = "@pydantic/genai-prices";

const about =
  "built by `npm run catalogue -- refresh` from curated.json, models.dev (MIT) and @pydantic/genai-prices (MIT); " +
  "catalogue-sources.json has the source of each figure; unverified: from memory, a third party, or from no source";

export interface RefreshOptions {
  /** a models.dev file; `null` fetches `url` */
  file: string | null;
  /** ISO date */
  day: string;
  /** ISO date */
  today: string;
  /** providers' keys, as for `npm start` */
  env: Environment;
  url: string;
  fetch: typeof fetch;
}

export const readCurated = (): Curated =>
  JSON.parse(readFileSync(new URL("curated.json", folder), "utf8")) as Curated;

export const excludedIn = ({ excluded }: Curated): ReadonlySet<string> =>
  new Set(Object.values(excluded).flat());

/** Typed ids that are neither in the catalogue nor excluded. */
export function lackingIn(curated: Curated): string[] {
  const known = new Set([
    ...excludedIn(curated),
    ...curated.models.flatMap(({ provider, id, aliases = [] }) =>
      [id, ...aliases].map((each) => nameOf({ provider, id: each })),
    ),
  ]);
  return typedModels(root).filter((name) => !known.has(name));
}

/** `null` if the curated file doesn't say. */
function dayOfPackage(name: string, { packages }: Curated): string | null {
  const pinned = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  return packages[`${name}@${pinned.devDependencies[name] ?? ""}`] ?? null;
}

async function modelsDev({
  file,
  day,
  url,
  fetch,
}: RefreshOptions): Promise<Result<Source, string>> {
  const entries =
    file === null
      ? await createCatalogueSource({ url, fetch }).entries()
      : parseModelsDev(readFileSync(file, "utf8"));
  if (!entries.ok) return err(`models.dev: ${entries.error}`);
  const figures = new Map(
    entries.value.map(({ provider, id, ...stated }) => {
      const known = Object.entries(stated).filter(([, value]) => value !== null);
      return [nameOf({ provider, id }), Object.fromEntries(known)] as const;
    }),
  );
  return ok({ name: "models.dev", day, figures });
}

export async function readSources(
  curated: Curated,
  options: RefreshOptions & { missing?: readonly string[] },
): Promise<Result<Source[], string>> {
  const day = dayOfPackage(priceList, curated);
  if (day === null) return err(`curated.json has no day for the pinned version of ${priceList}`);
  const listed = await modelsDev(options);
  if (!listed.ok) return listed;
  const prices = await readGenaiPrices(
    [...curated.models.map(nameOf), ...(options.missing ?? [])],
    new Date(`${curated.day}T12:00:00Z`),
  );
  const withContext = new Map<string, Figures>();
  const priced = new Map<string, Figures>();
  for (const [name, { contextTokens, ...figures }] of prices) {
    priced.set(name, figures);
    if (contextTokens !== undefined) withContext.set(name, { contextTokens });
  }
  // The newer source of prices wins; the price list rounds contexts, so they come last.
  const byDay = [listed.value, { name: priceList, day, figures: priced }].toSorted((a, b) =>
    a.day < b.day ? 1 : -1,
  );
  return ok([...byDay, { name: priceList, day, figures: withContext }]);
}

export interface Rebuilt {
  catalogue: Catalogue;
  lines: string[];
}

export async function rebuild(
  curated: Curated,
  options: RefreshOptions,
): Promise<Result<Rebuilt, string>> {
  const read = await readProviderLists(options);
  if (!read.ok) return read;
  const lists = read.value.lists.map((list) => ({ list, missing: missingFrom(curated, list) }));
  const sources = await readSources(curated, {
    ...options,
    missing: lists.flatMap(({ missing }) => missing),
  });
  if (!sources.ok) return sources;
  const listed = lists.map(({ list }) => sourceOf(list, curated));
  const catalogue = buildCatalogue(curated, [...listed, ...sources.value]);
  catalogue.contradictions.push(...lists.flatMap(({ list }) => contradictionsOf(list, catalogue)));
  return ok({
    catalogue,
    lines: [
      ...read.value.notes,
      ...lists.flatMap(({ list, missing }) =>
        linesOfMissing(missing, { list, sources: sources.value }),
      ),
      ...catalogue.contradictions,
      `${catalogue.contradictions.length} contradictions; the first figure of each line was taken.`,
      `Version ${catalogue.version}: ${catalogue.rows.length} models. Review the diff before you commit it.`,
    ],
  });
}

export async function refresh(options: RefreshOptions): Promise<Result<string[], string>> {
  const curated = readCurated();
  const lacking = lackingIn(curated);
  if (lacking.length > 0)
    return err(
      `curated.json neither has nor excludes these ids of the pinned AI SDK packages:\n${lacking.join("\n")}`,
    );
  const rebuilt = await rebuild(curated, options);
  if (!rebuilt.ok) return rebuilt;
  const { catalogue, lines } = rebuilt.value;
  writeFileSync(new URL("catalogue.json", folder), catalogueText(catalogue, about));
  writeFileSync(new URL("catalogue-sources.json", folder), takenText(catalogue));
  return ok(lines);
}
