/** Providers' own lists, the catalogue's first source. They contain ids without figures. */
import { baseUrls } from "../../domain/choice/endpoints.ts";
import { nameOf, type Listing } from "../../domain/models/model.ts";
import { acceptedListing, isListed, idsMissingFrom } from "../../domain/models/listings.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { listModels } from "../../providers/listing.ts";
import { keyed, providerSettings, type Environment } from "../../start/provider-settings.ts";
import type { Catalogue, Curated } from "./build.ts";
import type { Source } from "./figures.ts";

const timeoutMs = 20_000;

export interface ProviderList {
  provider: string;
  /** ISO date */
  day: string;
  listing: Listing;
}

export interface ProviderLists {
  lists: ProviderList[];
  /** why other providers have no list */
  notes: string[];
}

export async function readProviderLists({
  env,
  fetch,
  today,
}: {
  env: Environment;
  fetch: typeof globalThis.fetch;
  today: string;
}): Promise<Result<ProviderLists, string>> {
  const settings = providerSettings(env);
  if (!settings.ok) return settings;
  const read: ProviderLists = { lists: [], notes: [] };
  for (const { name, provider, place } of keyed) {
    const found = settings.value.find((each) => each.provider === provider);
    const baseUrl = baseUrls.get(provider);
    if (found === undefined || baseUrl === undefined) {
      read.notes.push(`${provider}: ${name} is not set, so its list of models was not read.`);
    } else if (found.baseUrl !== null) {
      read.notes.push(`${provider}: ${place} is set, so its own list of models was not read.`);
    } else {
      const credential = { provider, apiKey: found.apiKey, baseUrl: null };
      const signal = AbortSignal.timeout(timeoutMs);
      const listed = await listModels(credential, { fetch, baseUrl, signal });
      if (listed === null)
        return err(
          `${provider}: no list of models could be read. Check ${name} and the network, or unset ${name}.`,
        );
      const listing = acceptedListing(null, listed, Date.parse(today));
      if (listing === null)
        read.notes.push(`${provider}: its list of models is incomplete, so it proves nothing.`);
      else read.lists.push({ provider, day: today, listing });
    }
  }
  return ok(read);
}

const labelOf = ({ provider }: ProviderList): string => `${provider}'s list`;

export const sourceOf = (list: ProviderList, { models }: Curated): Source => ({
  name: labelOf(list),
  day: list.day,
  figures: new Map(
    models
      .filter(
        ({ provider, id, aliases = [] }) =>
          provider === list.provider && isListed({ id, aliases }, list.listing),
      )
      .map((model) => [nameOf(model), { id: model.id }]),
  ),
});

/** Listed models that the curated file neither has nor excludes. */
export function missingFrom({ models, excluded }: Curated, list: ProviderList): string[] {
  const known = models.map(({ provider, id, aliases = [] }) => ({ provider, id, aliases }));
  const left = new Set(Object.values(excluded).flat());
  return idsMissingFrom(list.provider, list.listing, known)
    .map((id) => nameOf({ provider: list.provider, id }))
    .filter((name) => !left.has(name));
}

export const linesOfMissing = (
  missing: readonly string[],
  { list, sources }: { list: ProviderList; sources: readonly Source[] },
): string[] =>
  missing.map((name) => {
    const having = sources.filter(({ figures }) => figures.has(name));
    const labels = [...new Set(having.map((each) => `${each.name} ${each.day}`))];
    return `${name}: missing from curated.json (${labelOf(list)} ${list.day}); figures: ${labels.join(", ") || "unverified, no source has them"}`;
  });

/** Models that only the catalogue or only the provider serves. */
export const contradictionsOf = (list: ProviderList, { rows }: Pick<Catalogue, "rows">): string[] =>
  rows
    .filter(
      (row) =>
        row.provider === list.provider &&
        isListed(row, list.listing) === (row.status === "retired"),
    )
    .map(
      (row) =>
        `${nameOf(row)} status: "${row.status}" (catalogue), ${row.status === "retired" ? "listed" : "not listed"} (${labelOf(list)} ${list.day})`,
    );
