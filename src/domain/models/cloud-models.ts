/** Models that a cloud credential serves without declared models, and price differences between regions. */
import type { BedrockPlace, CloudPlace, Geography } from "./cloud-place.ts";
import { geographies } from "./cloud-place.ts";
import { parseModel } from "./lines.ts";
import {
  nameOf,
  type CredentialSummary,
  type DeclaredModel,
  type MediaPrices,
  type Model,
} from "./model.ts";

/** Source: https://platform.claude.com/docs/en/build-with-claude/claude-on-amazon-bedrock */
const claudeAtBedrock: readonly (readonly [
  like: string,
  id: string,
  profiles: readonly Geography[],
])[] = [
  ["claude-opus-4-6", "anthropic.claude-opus-4-6-v1", ["global", "us", "eu", "jp", "apac"]],
  ["claude-sonnet-4-6", "anthropic.claude-sonnet-4-6", ["global", "us", "eu", "jp"]],
  ["claude-sonnet-4-5", "anthropic.claude-sonnet-4-5-20250929-v1:0", ["global", "us", "eu", "jp"]],
  ["claude-opus-4-5", "anthropic.claude-opus-4-5-20251101-v1:0", ["global", "us", "eu"]],
  ["claude-haiku-4-5", "anthropic.claude-haiku-4-5-20251001-v1:0", ["global", "us", "eu"]],
];

const bedrockModels = ({ geography }: BedrockPlace): DeclaredModel[] =>
  claudeAtBedrock.flatMap(([name, id, profiles]) => {
    const like = `anthropic/${name}`;
    if (geography === null) return [{ id, like }];
    return profiles.includes(geography) ? [{ id: `${geography}.${id}`, like }] : [];
  });

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
/** Source: https://platform.claude.com/docs/en/about-claude/pricing#third-party-platform-pricing */
const firstRegionallyPricedGeneration = 4.5;

export function isRegional(place: CloudPlace | null | undefined): boolean {
  if (place?.cloud === "bedrock") return place.geography !== "global";
  return place?.cloud === "vertex" && place.location !== "global";
}

/** The factor between the model maker's prices and the cloud's. */
export function priceFactorOf(
  place: CloudPlace,
  makersModel: Pick<Model, "provider" | "id" | "name" | "family">,
): number {
  if (!isRegional(place) || makersModel.provider !== "anthropic") return 1;
  const generation = parseModel(makersModel)?.generation ?? firstRegionallyPricedGeneration;
  return generation >= firstRegionallyPricedGeneration ? regionalFactor : 1;
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

const likedIn = (like: string): Parameters<typeof priceFactorOf>[1] => {
  const [provider = "", ...id] = like.split("/");
  return { provider, id: id.join("/"), name: id.join("/"), family: null };
};

/**
 * The price of the credential that answered, relative to the listed price, which is the highest of all credentials.
 * Prices of the tenant's own apply everywhere.
 */
export function factorOfAnswer(
  { id, provider, like, source }: Pick<Model, "id" | "provider" | "like" | "source">,
  answered: CredentialSummary,
  all: readonly CredentialSummary[],
): number {
  const declared = (answered.models ?? []).find((model) => model.id === id);
  const isOwnPrice = Object.keys(declared ?? {}).some((figure) => figure.includes("Usd"));
  if (!answered.place || like === undefined || source !== "credential" || isOwnPrice) return 1;
  const liked = likedIn(like);
  const factorOf = ({ place }: CredentialSummary): number =>
    place ? priceFactorOf(place, liked) : 1;
  const others = all.filter((credential) => credential.provider === provider);
  return factorOf(answered) / Math.max(...[answered, ...others].map(factorOf));
}

const geographyIn = (id: string): Geography | null =>
  geographies.find((geography) => id.startsWith(`${geography}.`)) ?? null;

const arn = /^arn:aws[\w-]*:bedrock:([a-z0-9-]+):/;

/** `null` if requests stay in the credential's region and geography. */
export function problemWithBedrockId(place: BedrockPlace, id: string): string | null {
  const region = arn.exec(id)?.[1];
  if (region !== undefined)
    return region === place.region
      ? null
      : `This ARN is in ${region}, but the credential is for ${place.region}.`;
  const geography = geographyIn(id);
  return geography === null || geography === place.geography
    ? null
    : `This inference profile sends requests outside the credential's geography. Set geography to "${geography}" to allow it.`;
}
