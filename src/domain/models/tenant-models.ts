/** The catalogue as one tenant sees it: with the models that its credentials declare, and with its own figures. */
import { canonicalOf } from "./canonical-name.ts";
import { modelsListed } from "./listings.ts";
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

/** Catalogues are replaced and never changed. */
const byCanonicalName = new WeakMap<Catalogue, ReadonlyMap<string, Model>>();

function namedIn(catalogue: Catalogue): ReadonlyMap<string, Model> {
  const known = byCanonicalName.get(catalogue);
  if (known !== undefined) return known;
  const named = new Map<string, Model>();
  for (const model of catalogue.models) {
    const name = canonicalOf(model);
    // What its maker sells comes before copies.
    if (name !== null && (!named.has(name) || name.startsWith(`${model.provider}/`)))
      named.set(name, model);
  }
  byCanonicalName.set(catalogue, named);
  return named;
}

/** What is true of a model wherever it runs, if the catalogue has it at another provider. */
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

/** The model of the catalogue that has this `provider/model`; undefined: none has. */
export const likedBy = ({ models }: Catalogue, name: string): Model | undefined =>
  models.find(
    ({ provider, id, aliases }) =>
      nameOf({ provider, id }) === name ||
      aliases.some((alias) => nameOf({ provider, id: alias }) === name),
  );

/** Ways of asking for reasoning that only the provider's own API knows. */
const ownWays = /^(anthropic|google|workers)_/;

/** A model as another provider serves it under a name of its own. */
function alike(liked: Model, provider: string, id: string): Model {
  const { synced: _, unverified: __, estimated: ___, reasoningControl, ...figures } = liked;
  const isAskedAlike =
    reasoningControl !== undefined &&
    (provider === liked.provider || !ownWays.test(reasoningControl.sentAs));
  return {
    ...figures,
    provider,
    id,
    aliases: [],
    retiresAt: null,
    ...(isAskedAlike && { reasoningControl }),
  };
}

/**
 * The catalogue as one tenant sees it: the catalogue, then what only a provider lists, then what the
 * tenant's credentials declare, then its overrides.
 */
export function modelsOf(
  catalogue: Catalogue,
  credentials: readonly CredentialSummary[],
  overrides: readonly ModelOverride[],
): readonly Model[] {
  const listed = modelsListed(catalogue, credentials);
  // All tenants that change nothing share one list, so that what was made of the list serves them
  // all.
  if (overrides.length === 0 && credentials.every(({ models }) => (models ?? []).length === 0))
    return listed;
  const models = new Map(listed.map((model) => [nameOf(model), model]));
  // A credential may call a model by an alias, such as Ollama's `llama3.2:latest`. What is known of
  // the model counts then, too.
  const known = (provider: string, id: string, change: ModelChange): Model => {
    const model = catalogue.models.find(
      (each) => each.provider === provider && each.aliases.includes(id),
    );
    return model === undefined
      ? { ...unknownModel(provider, id), ...knownAnywhere(catalogue, { ...change, id }) }
      : { ...model, id, aliases: [] };
  };
  const apply = (
    provider: string,
    id: string,
    change: ModelChange,
    source: Model["source"],
  ): void => {
    const key = nameOf({ provider, id });
    const liked = change.like === undefined ? undefined : likedBy(catalogue, change.like);
    const { estimated: guessed, ...before } =
      liked === undefined
        ? (models.get(key) ?? known(provider, id, change))
        : alike(liked, provider, id);
    const estimated = guessed?.filter((figure) => change[figure] === undefined) ?? [];
    models.set(key, {
      ...before,
      ...(estimated.length > 0 && { estimated }),
      ...withClassPrices(change, before),
      source,
    });
  };
  for (const credential of credentials)
    for (const { id, ...change } of credential.models ?? [])
      apply(credential.provider, id, change, "credential");
  for (const { provider, id, change } of overrides) apply(provider, id, change, "override");
  return [...models.values()];
}
