/** Models that a cloud credential serves without declared models, and price differences between regions. */
import { bedrockModels, geographyOf } from "./bedrock-models.ts";
import type { CloudPlace } from "./cloud-place.ts";
import { parseModel } from "./lines.ts";
import {
  nameOf,
  type CredentialSummary,
  type DeclaredModel,
  type MediaPrices,
  type Model,
} from "./model.ts";

/** Vertex uses Anthropic's ids, but with `@` before the date. */
const vertexIdOf = ({ provider, id, aliases }: Model): string => {
  const dated = [id, ...aliases].find((name) => /-20\d{6}$/.test(name));
  return provider === "anthropic" && dated !== undefined ? dated.replace(/-(20\d{6})$/, "@$1") : id;
};

const isServedByVertex = ({ provider, id, status, outputModalities }: Model): boolean =>
  status !== "retired" &&
  ((provider === "google" && id.startsWith("gemini-")) || provider === "anthropic") &&
  outputModalities.includes("text");

/** Sources: https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai, and Google's list of Gemini models */
const vertexModels = (models: readonly Model[]): DeclaredModel[] =>
  models
    .filter((model) => isServedByVertex(model))
    .map((model) => ({ id: vertexIdOf(model), like: nameOf(model) }));

/** Azure deployments have names of their own, so the credential must declare them. */
export function modelsServedAt(place: CloudPlace, models: readonly Model[]): DeclaredModel[] {
  switch (place.cloud) {
    case "azure":
      return [];
    case "bedrock":
      return bedrockModels(place);
    case "vertex":
      return vertexModels(models);
  }
}

const regionalFactor = 1.1;
/** AWS lists 10 to 20 % for GovCloud, by model. */
const governmentFactor = 1.2;
/** Source: https://platform.claude.com/docs/en/about-claude/pricing#third-party-platform-pricing */
const firstRegionallyPricedGeneration = 4.5;

/** Vertex serves a model under the same id in all places. */
export const isRegional = (place: CloudPlace | null | undefined): boolean =>
  place?.cloud === "vertex" && place.location !== "global";

/**
 * Bedrock's price depends on the region and the profile that are called, not on the region that answers, so answers
 * don't change it. Source: https://docs.aws.amazon.com/bedrock/latest/userguide/cross-region-inference.html
 */
function placeFactorOf(place: CloudPlace, id: string): number {
  if (place.cloud !== "bedrock") return isRegional(place) ? regionalFactor : 1;
  if (place.region.startsWith("us-gov-")) return governmentFactor;
  return geographyOf(id) === "global" ? 1 : regionalFactor;
}

/**
 * The factor between the model maker's prices and the cloud's.
 * @param id the model's at the cloud
 */
export function priceFactorOf(
  place: CloudPlace,
  id: string,
  makersModel: Pick<Model, "provider" | "id" | "name" | "family">,
): number {
  const { provider } = makersModel;
  // Source: https://docs.aws.amazon.com/bedrock/latest/userguide/model-card-openai-gpt-55.html
  if (provider === "openai" && place.cloud === "bedrock") return placeFactorOf(place, id);
  if (provider !== "anthropic") return 1;
  const generation = parseModel(makersModel)?.generation ?? firstRegionallyPricedGeneration;
  return generation >= firstRegionallyPricedGeneration ? placeFactorOf(place, id) : 1;
}

/** Multiplies all members with `usd` in their name. */
const withPricesMultiplied = <T extends object>(prices: T, factor: number): T =>
  Object.fromEntries(
    Object.entries(prices).map(([name, value]) => [
      name,
      typeof value === "number" && /usd/i.test(name)
        ? Number((value * factor).toPrecision(12))
        : value,
    ]),
  ) as T;

export function withPriceFactor<M extends Model>(model: M, factor: number): M {
  if (factor === 1) return model;
  const { mediaPrices, priceTiers } = model;
  return {
    ...withPricesMultiplied(model, factor),
    priceTiers: priceTiers.map((tier) => withPricesMultiplied(tier, factor)),
    ...(mediaPrices !== undefined && {
      mediaPrices: withPricesMultiplied<MediaPrices>(mediaPrices, factor),
    }),
  };
}

const likedIn = (like: string): Parameters<typeof priceFactorOf>[2] => {
  const [provider = "", ...id] = like.split("/");
  return { provider, id: id.join("/"), name: id.join("/"), family: null };
};

/** Paid by the hour or by a commitment. */
export const isFreePerCall = (declared: DeclaredModel | undefined): boolean =>
  declared?.inputUsdPerMTok === 0 && declared.outputUsdPerMTok === 0;

/**
 * The price of the credential that answered, relative to the listed price, which is the highest of all credentials.
 * Prices of the tenant's own apply everywhere, except that a price of 0 is a credential's own.
 */
export function factorOfAnswer(
  { id, provider, like, source }: Pick<Model, "id" | "provider" | "like" | "source">,
  answered: CredentialSummary,
  all: readonly CredentialSummary[],
): number {
  const declared = (answered.models ?? []).find((model) => model.id === id);
  if (source === "credential" && isFreePerCall(declared)) return 0;
  const isOwnPrice = Object.keys(declared ?? {}).some((figure) => figure.includes("Usd"));
  if (!answered.place || like === undefined || source !== "credential" || isOwnPrice) return 1;
  const liked = likedIn(like);
  const factorOf = ({ place }: CredentialSummary): number =>
    place ? priceFactorOf(place, id, liked) : 1;
  const others = all.filter((credential) => credential.provider === provider);
  return factorOf(answered) / Math.max(...[answered, ...others].map(factorOf));
}
