/** Whose API a cloud serves a model by. */
import { memoizedByObject } from "../memoized.ts";
import { canonicalName } from "./canonical-name.ts";
import { isCloud, type Cloud } from "./cloud-place.ts";

/** Makers whose own API the cloud offers. Other models are served by an API compatible with OpenAI's. */
const makersOf: Readonly<Record<Cloud, readonly string[]>> = {
  azure: ["openai"],
  bedrock: ["anthropic", "openai"],
  vertex: ["anthropic", "google"],
};

/** Keys of options in `metadata` for a provider's models, each with the provider whose API serves them. */
export const optionKeysOf = (provider: string): (readonly [key: string, api: string])[] => [
  [provider, provider],
  ...(isCloud(provider)
    ? makersOf[provider].map((api) => [optionKey({ provider, api }), api] as const)
    : []),
];

export const optionKey = ({ provider, api }: { provider: string; api: string }): string =>
  provider === api ? provider : `${provider}-${api}`;

type Served = Readonly<{ provider: string; id?: string; like?: string | undefined }>;

const makerOf = memoizedByObject(
  ({ id = "", like = id }: Served): string | undefined => canonicalName(like)?.split("/")[0],
);

/** The provider whose API serves the model. */
export function apiOf(model: Served): string {
  const { provider } = model;
  if (!isCloud(provider)) return provider;
  const maker = makerOf(model);
  // Bedrock serves models with open weights by the API that others are compatible with.
  const isOpen = provider === "bedrock" && /gpt-oss/.test(model.like ?? model.id ?? "");
  return maker !== undefined && !isOpen && makersOf[provider].includes(maker) ? maker : provider;
}
