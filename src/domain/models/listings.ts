import { memoizedByObject } from "../memoized.ts";
import { notForChat } from "./catalogue-sync.ts";
import { endpointFor } from "./bedrock-models.ts";
import { listsModels } from "./cloud-place.ts";
import { retiredModelNamed } from "./gone-models.ts";
import { hosts } from "./hosts.ts";
import { newestFirst, parseModel } from "./lines.ts";
import {
  unknownModel,
  type Catalogue,
  type CredentialSummary,
  type Listing,
  type Model,
} from "./model.ts";
import { foldName } from "./plain-name.ts";

export interface FetchedListing {
  ids: string[];
  isComplete: boolean;
  /** `provider` of the server that the list shows */
  host?: string | null;
}

/** A list with a smaller share of the previous list's models is considered broken. */
const minRemainingShare = 0.7;

export const acceptedListing = (
  before: Listing | null,
  fetched: FetchedListing | null,
  now: number,
): Listing | null =>
  fetched === null ||
  !fetched.isComplete ||
  fetched.ids.length === 0 ||
  (before !== null && fetched.ids.length <= before.ids.length * minRemainingShare)
    ? before
    : { at: now, ids: fetched.ids };

/** Removes a version date: `-20251001`, `-2025-08-07`, `-2512`, `-001`. */
const withoutDate = (id: string): string => id.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|\d{3,4})$/, "");
/** Ollama's tag is `:latest`. */
const withoutLatest = (id: string): string => id.replace(/[-:]latest$/, "");

const namesOf = ({ id, aliases }: Pick<Model, "id" | "aliases">): string[] => [
  id.toLowerCase(),
  ...aliases.map((alias) => alias.toLowerCase()),
];

const namesIn = memoizedByObject((listing: Listing): ReadonlySet<string> => {
  const ids = listing.ids.map((id) => id.toLowerCase());
  return new Set([...ids, ...ids.map(withoutDate), ...ids.map((id) => id.replace(/:latest$/, ""))]);
});

export const isListed = (model: Pick<Model, "id" | "aliases">, listing: Listing): boolean =>
  namesOf(model).some(
    (name) => namesIn(listing).has(name) || namesIn(listing).has(withoutLatest(name)),
  );

type ListedAt = Pick<CredentialSummary, "provider" | "baseUrl" | "place">;

/** Whether a list says what the credential can call, although it declares models or has an address of its own. */
const isConclusive = ({ provider, baseUrl, place }: ListedAt): boolean => {
  if (place) return listsModels(place) && !baseUrl;
  const host = hosts.get(provider);
  return host?.lists === "all" && (host.baseUrl === null || !baseUrl);
};

/** Whether a list may be kept. Another list from a custom address proves nothing. */
export const isListKept = (credential: ListedAt): boolean =>
  !credential.baseUrl || isConclusive(credential);

/** A custom base URL or declared models take precedence over the provider's list. */
const listingOf = ({ listing, baseUrl, models }: CredentialSummary): Listing | null =>
  listing === undefined || baseUrl || (models ?? []).length > 0 ? null : listing;

/** A tenant's own profiles, and models of another endpoint, aren't in Bedrock's lists. */
const isBesideList = ({ id }: Pick<Model, "id">, { place }: ListedAt): boolean =>
  place?.cloud === "bedrock" &&
  (id.startsWith("arn:") || endpointFor(id).host === "bedrock-mantle");

export function isOffered(model: Model, credential: CredentialSummary): boolean {
  const { listing } = credential;
  if (listing && model.source !== "provider" && isConclusive(credential))
    return isBesideList(model, credential) || isListed(model, listing);
  const own = listingOf(credential);
  return own === null ? model.source !== "provider" : isListed(model, own);
}

function nearestTo(model: Model, { models }: Catalogue): Model | undefined {
  const parsed = parseModel(model);
  if (parsed === null) return undefined;
  const rank = (other: Model): number => {
    const parsedOther = parseModel(other);
    if (parsedOther?.series !== parsed.series) return 0;
    return (
      1 + Number(other.provider === model.provider) + 2 * Number(parsedOther.line === parsed.line)
    );
  };
  return models
    .filter((other) => other.status !== "retired" && rank(other) > 0)
    .toSorted((a, b) => rank(b) - rank(a) || newestFirst(a, b))[0];
}

/** A listed model that the catalogue lacks has the traits of the most similar model, and no price. */
function listedModel(provider: string, id: string, catalogue: Catalogue): Model {
  const model: Model = { ...unknownModel(provider, id), source: "provider" };
  const nearest = nearestTo(model, catalogue);
  if (nearest === undefined) return model;
  return {
    ...model,
    family: nearest.family,
    inputModalities: nearest.inputModalities,
    outputModalities: nearest.outputModalities,
    contextTokens: nearest.contextTokens,
    outputTokens: nearest.outputTokens,
    tools: nearest.tools,
    temperature: nearest.temperature,
    reasoning: nearest.reasoning,
    reasoningControl: nearest.reasoningControl,
    prefill: nearest.prefill,
  };
}

export function idsMissingFrom(
  provider: string,
  { ids }: Listing,
  models: readonly Pick<Model, "provider" | "id" | "aliases">[],
): string[] {
  const known = new Set(
    models
      .filter((model) => model.provider === provider)
      .flatMap((model) =>
        namesOf(model).flatMap((name) => [name, withoutLatest(name), withoutDate(name)]),
      ),
  );
  return ids.filter((id) => {
    const name = id.toLowerCase();
    return (
      !known.has(name) &&
      !known.has(withoutDate(name)) &&
      !known.has(withoutLatest(name)) &&
      !notForChat.test(name) &&
      retiredModelNamed(foldName(name)) === null
    );
  });
}

const modelsByMissingIds = new WeakMap<Catalogue, Map<string, readonly Model[]>>();
const maxCached = 200;

export function withListedModels(
  catalogue: Catalogue,
  credentials: readonly CredentialSummary[],
): readonly Model[] {
  const lacking = credentials.flatMap((credential) => {
    const listing = listingOf(credential);
    return listing === null
      ? []
      : idsMissingFrom(credential.provider, listing, catalogue.models).map(
          (id) => `${credential.provider}\n${id}`,
        );
  });
  if (lacking.length === 0) return catalogue.models;
  const keys = [...new Set(lacking)].toSorted();
  const shared = modelsByMissingIds.get(catalogue) ?? new Map<string, readonly Model[]>();
  modelsByMissingIds.set(catalogue, shared);
  const known = shared.get(keys.join("\n"));
  if (known !== undefined) return known;
  const models = [
    ...catalogue.models,
    ...keys.map((key) => {
      const [provider = "", id = ""] = key.split("\n");
      return listedModel(provider, id, catalogue);
    }),
  ];
  if (shared.size >= maxCached) shared.clear();
  shared.set(keys.join("\n"), models);
  return models;
}
