/** Models at Bedrock: the hosts and APIs that serve them, their names, and who else has their figures. */
import type { BedrockEndpoint, BedrockPlace, Geography } from "./cloud-place.ts";
import { geographies } from "./cloud-place.ts";
import type { DeclaredModel } from "./model.ts";

const runtime: BedrockEndpoint = { host: "bedrock-runtime", path: "/openai/v1" };
const mantle: BedrockEndpoint = { host: "bedrock-mantle", path: "/openai/v1" };

/**
 * The first match counts; others are at `bedrock-runtime`, which AWS recommends. null: only Converse, or InvokeModel in
 * the maker's own form. Sources, in https://docs.aws.amazon.com/bedrock/latest/userguide/: endpoints.html,
 * inference-messages-api.html, inference-responses-api.html, models-api-compatibility.html
 */
const exceptions: readonly (readonly [ids: RegExp, endpoint: BedrockEndpoint | null])[] = [
  [/^openai\.gpt-5\.[45]|^google\.gemma-4|^xai\./, mantle],
  [/^((amazon|meta|cohere|ai21|writer)\.|deepseek\.r1|mistral\.pixtral)/, null],
];

/** Source: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonbedrock.html */
const arn = /^arn:aws[\w-]*:bedrock:([a-z0-9-]+):\d*:[\w-]+\/(.+)$/;

interface BedrockName {
  region?: string | undefined;
  geography: Geography | null;
  /** without a profile's prefix */
  model: string;
}

function nameIn(id: string): BedrockName {
  const [, region, resource = id] = arn.exec(id) ?? [];
  const geography = geographies.find((each) => resource.startsWith(`${each}.`)) ?? null;
  const model = geography === null ? resource : resource.slice(geography.length + 1);
  return { region, geography, model };
}

/** Without a profile's prefix or ARN. */
export const foundationModelOf = (id: string): string => nameIn(id).model;

export const geographyOf = (id: string): Geography | null => nameIn(id).geography;

function servedAt(id: string): BedrockEndpoint | null {
  const { model } = nameIn(id);
  const found = exceptions.find(([ids]) => ids.test(model));
  return found === undefined ? runtime : found[1];
}

export const endpointFor = (id: string): BedrockEndpoint => servedAt(id) ?? runtime;

type Row = readonly [like: string, id: string, profiles: readonly Geography[]];

/**
 * Sources: https://platform.claude.com/docs/en/build-with-claude/claude-on-amazon-bedrock-legacy, and the models'
 * cards in AWS's documentation
 */
const withProfiles: readonly Row[] = [
  ["anthropic/claude-opus-5-5", "anthropic.claude-opus-5-5", ["global", "us", "eu", "jp", "au"]],
  ["anthropic/claude-sonnet-5-5", "anthropic.claude-sonnet-5-5", ["global", "us", "eu"]],
  ["anthropic/claude-haiku-5-5", "anthropic.claude-haiku-5-5", ["global", "us", "eu", "jp", "au"]],
  ["anthropic/claude-fable-5-1", "anthropic.claude-fable-5-1", ["global", "us", "eu"]],
  ["anthropic/claude-fable-5", "anthropic.claude-fable-5", ["global", "us", "eu"]],
  ["anthropic/claude-opus-5", "anthropic.claude-opus-5", ["global", "us", "eu", "au", "us-gov"]],
  ["anthropic/claude-sonnet-5", "anthropic.claude-sonnet-5", ["global", "us", "eu", "au"]],
  ["anthropic/claude-opus-4-8", "anthropic.claude-opus-4-8", ["global", "us", "eu", "jp", "au"]],
  ["anthropic/claude-opus-4-7", "anthropic.claude-opus-4-7", ["global", "us", "eu", "jp"]],
  [
    "anthropic/claude-opus-4-6",
    "anthropic.claude-opus-4-6-v1",
    ["global", "us", "eu", "jp", "apac", "au"],
  ],
  [
    "anthropic/claude-sonnet-4-6",
    "anthropic.claude-sonnet-4-6",
    ["global", "us", "eu", "jp", "au"],
  ],
  [
    "anthropic/claude-sonnet-4-5",
    "anthropic.claude-sonnet-4-5-20250929-v1:0",
    ["global", "us", "eu", "jp", "au", "us-gov"],
  ],
  ["anthropic/claude-opus-4-5", "anthropic.claude-opus-4-5-20251101-v1:0", ["global", "us", "eu"]],
  [
    "anthropic/claude-haiku-4-5",
    "anthropic.claude-haiku-4-5-20251001-v1:0",
    ["global", "us", "eu", "jp", "au"],
  ],
  ["openai/gpt-6.1-sol", "openai.gpt-6.1-sol", ["global", "us"]],
  ["openai/gpt-6-astra", "openai.gpt-6-astra", ["global", "us"]],
  ["openai/gpt-5.6-sol", "openai.gpt-5.6-sol", ["global", "us"]],
  ["openai/gpt-5.6-terra", "openai.gpt-5.6-terra", ["global", "us"]],
  ["openai/gpt-5.6-luna", "openai.gpt-5.6-luna", ["global", "us"]],
];

/** Models that are only served in the region: USD per million tokens. Source: https://models.dev, MIT, 2026-07-02 */
const inRegion: readonly (readonly [like: string, id: string, input: number, output: number])[] = [
  ["cerebras/gpt-oss-120b", "openai.gpt-oss-120b-1:0", 0.15, 0.6],
  ["groq/openai/gpt-oss-20b", "openai.gpt-oss-20b-1:0", 0.07, 0.3],
  ["mistral/mistral-large-2512", "mistral.mistral-large-3-675b-instruct", 0.5, 1.5],
  [
    "together/Qwen/Qwen3-235B-A22B-Instruct-2507-tput",
    "qwen.qwen3-235b-a22b-2507-v1:0",
    0.22,
    0.88,
  ],
  ["groq/qwen/qwen3-32b", "qwen.qwen3-32b-v1:0", 0.15, 0.6],
  ["cerebras/zai-glm-4.7", "zai.glm-4.7", 0.6, 2.2],
  ["workers-ai/@cf/zai-org/glm-4.7-flash", "zai.glm-4.7-flash", 0.07, 0.4],
  ["workers-ai/@cf/nvidia/nemotron-3-120b-a12b", "nvidia.nemotron-super-3-120b", 0.15, 0.65],
];

export const bedrockModels = ({ geography }: BedrockPlace): DeclaredModel[] => [
  ...withProfiles.flatMap(([like, id, profiles]): DeclaredModel[] => {
    if (geography === null) return [{ id, like }];
    return profiles.includes(geography) ? [{ id: `${geography}.${id}`, like }] : [];
  }),
  ...inRegion.map(([like, id, inputUsdPerMTok, outputUsdPerMTok]) => ({
    id,
    like,
    inputUsdPerMTok,
    outputUsdPerMTok,
    status: "active" as const,
  })),
];

/** `null` if requests stay in the credential's region and geography, and an API of the router serves the model. */
export function problemWithBedrockId(place: BedrockPlace, id: string): string | null {
  const { region, geography } = nameIn(id);
  if (region !== undefined && region !== place.region)
    return `This ARN is in ${region}, but the credential is for ${place.region}.`;
  if (geography !== null && geography !== place.geography)
    return `This inference profile sends requests outside the credential's geography. Set geography to "${geography}" to allow it.`;
  return servedAt(id) === null
    ? "Bedrock serves this model only by its own APIs, which the router doesn't support."
    : null;
}
