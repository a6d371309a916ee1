import { memoizedByObject } from "../memoized.ts";
import { canonicalName, canonicalOf } from "./canonical-name.ts";
import {
  isFreePerCall,
  isRegional,
  priceFactorOf,
  withPriceFactor,
  modelsServedAt,
} from "./cloud-models.ts";
import type { CloudPlace } from "./cloud-place.ts";
import { apiOf } from "./clouds.ts";
import { withListedModels } from "./listings.ts";
import {
  nameOf,
  unknownModel,
  withClassPrices,
  type Catalogue,
  type CredentialSummary,
  type DeclaredModel,
  type Model,
  type ModelChange,
  type ModelOverride,
} from "./model.ts";

const namedIn = memoizedByObject((catalogue: Catalogue): ReadonlyMap<string, Model> => {
  const named = new Map<string, Model>();
  for (const model of catalogue.models) {
    const name = canonicalOf(model);
    // The maker's own model takes precedence over the same model at other providers.
    if (name !== null && (!named.has(name) || name.startsWith(`${model.provider}/`)))
      named.set(name, model);
  }
  return named;
});

export function knownAnywhere(
  catalogue: Catalogue,
  declared: DeclaredModel,
): Partial<Pick<Model, "intelligence" | "releasedAt" | "estimated">> {
  const { id, like, name = id, aliases = [] } = declared;
  const model = namedIn(catalogue).get(canonicalOf({ id, like, name, aliases }) ?? "");
  if (model === undefined) return {};
  const { intelligence, releasedAt, estimated } = model;
  return {
    intelligence,
    ...(releasedAt !== undefined && { releasedAt }),
    ...(estimated?.includes("intelligence") === true && { estimated: ["intelligence"] }),
  };
}

export const likedBy = ({ models }: Catalogue, name: string): Model | undefined =>
  models.find(
    ({ provider, id, aliases }) =>
      nameOf({ provider, id }) === name ||
      aliases.some((alias) => nameOf({ provider, id: alias }) === name),
  );

/** Reasoning parameters that only the provider's own API supports. */
const ownWays = /^(anthropic|google|workers)_/;

function alike(liked: Model, provider: string, id: string): Model {
  const { synced: _, unverified: __, estimated: ___, reasoningControl, ...figures } = liked;
  const api = apiOf({ provider, id, like: nameOf(liked) });
  const isAskedAlike =
    reasoningControl !== undefined &&
    (api === liked.provider || !ownWays.test(reasoningControl.sentAs));
  return {
    ...figures,
    provider,
    id,
    aliases: [],
    retiresAt: null,
    ...(isAskedAlike && { reasoningControl }),
  };
}

/** 0 for the cheapest. */
const rankOf = ({ place }: CredentialSummary, model: DeclaredModel): number => {
  if (isFreePerCall(model)) return 0;
  return isRegional(place) ? 2 : 1;
};

/** Models that a cloud credential serves, each with the equivalent model of its maker. */
function servedBy(
  { models, place }: CredentialSummary,
  catalogue: Catalogue,
): readonly DeclaredModel[] {
  if (!place) return models ?? [];
  const declared =
    (models ?? []).length > 0 ? (models ?? []) : modelsServedAt(place, catalogue.models);
  return declared.map((model) => {
    const twin = namedIn(catalogue).get(canonicalName(model.like ?? model.id) ?? "");
    return model.like !== undefined || twin === undefined
      ? model
      : { ...model, like: nameOf(twin) };
  });
}

/** The most expensive last: its price is reserved if several credentials serve a model. */
const mostExpensiveLast = (credentials: readonly CredentialSummary[], catalogue: Catalogue) =>
  credentials
    .flatMap((credential) =>
      servedBy(credential, catalogue).map((model) => ({ credential, model })),
    )
    .toSorted(
      (one, other) => rankOf(one.credential, one.model) - rankOf(other.credential, other.model),
    );

/** Merges the catalogue, listed models, declared models and overrides, in this order. */
export function modelsOf(
  catalogue: Catalogue,
  credentials: readonly CredentialSummary[],
  overrides: readonly ModelOverride[],
): readonly Model[] {
  const listed = withListedModels(catalogue, credentials);
  // Tenants without changes share a list and its derived data.
  const isPlain = ({ models, place }: CredentialSummary): boolean =>
    (models ?? []).length === 0 && !place;
  if (overrides.length === 0 && credentials.every((credential) => isPlain(credential)))
    return listed;
  const models = new Map(listed.map((model) => [nameOf(model), model]));
  // A credential may use an alias, for example Ollama's `llama3.2:latest`.
  const known = (provider: string, id: string, change: ModelChange): Model => {
    const model = catalogue.models.find(
      (each) => each.provider === provider && each.aliases.includes(id),
    );
    return model === undefined
      ? { ...unknownModel(provider, id), ...knownAnywhere(catalogue, { ...change, id }) }
      : { ...model, id, aliases: [] };
  };
  const apply = (
    { provider, id }: Pick<Model, "provider" | "id">,
    change: ModelChange,
    { source, place }: Pick<Model, "source"> & { place?: CloudPlace | null | undefined },
  ): void => {
    const key = nameOf({ provider, id });
    const liked = change.like === undefined ? undefined : likedBy(catalogue, change.like);
    const factor = place && liked ? priceFactorOf(place, id, liked) : 1;
    const { estimated: guessed, ...before } =
      liked === undefined
        ? (models.get(key) ?? known(provider, id, change))
        : withPriceFactor(alike(liked, provider, id), factor);
    const estimated = guessed?.filter((figure) => change[figure] === undefined) ?? [];
    models.set(key, {
      ...before,
      ...(estimated.length > 0 && { estimated }),
      ...withClassPrices(change, before),
      source,
    });
  };
  for (const { credential, model } of mostExpensiveLast(credentials, catalogue)) {
    const { id, ...change } = model;
    const { provider, place } = credential;
    apply({ provider, id }, change, { source: "credential", place });
  }
  for (const { change, ...model } of overrides) apply(model, change, { source: "override" });
  return [...models.values()];
}
