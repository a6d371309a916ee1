/** Places of clouds, which serve makers' models under their own names. */
import { withoutTrailing } from "../bounded-url.ts";

export const clouds = ["azure", "bedrock", "vertex"] as const;
export type Cloud = (typeof clouds)[number];

export const isCloud = (provider: string): provider is Cloud =>
  clouds.some((cloud) => cloud === provider);

/** Azure lists what could be deployed, and Vertex what others have: neither says what a credential can call. */
export const listsModels = ({ cloud }: Pick<CloudPlace, "cloud">): boolean => cloud === "bedrock";

interface Overridable {
  /** replaces the cloud's token server */
  tokenUrl?: string;
}

export interface AzurePlace extends Overridable {
  cloud: "azure";
  /** of the resource, without path */
  endpoint: string;
  auth: "apiKey" | "clientSecret" | "hostIdentity";
}

/** Prefixes of inference profiles, within which Bedrock moves requests between regions. */
export const geographies = ["us", "eu", "apac", "jp", "au", "ca", "us-gov", "global"] as const;
export type Geography = (typeof geographies)[number];

export interface BedrockPlace extends Overridable {
  cloud: "bedrock";
  region: string;
  /** null: requests stay in the region */
  geography: Geography | null;
  auth: "apiKey" | "accessKey" | "role" | "hostIdentity";
  /** of the model that is called; not stored */
  served?: {
    /** also the name of the service in signatures, without `-runtime` */
    host: "bedrock-runtime" | "bedrock-mantle";
    /** of APIs that are compatible with OpenAI's */
    path: string;
  };
}
export type BedrockEndpoint = NonNullable<BedrockPlace["served"]>;

export interface VertexPlace extends Overridable {
  cloud: "vertex";
  project: string;
  location: string;
  auth: "serviceAccount" | "hostIdentity";
}

/** Where a cloud's credential is used, and how it authenticates. Contains no secrets. */
export type CloudPlace = AzurePlace | BedrockPlace | VertexPlace;

export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface ServiceAccount {
  clientEmail: string;
  privateKeyId: string;
  /** PEM, PKCS #8 */
  privateKey: string;
}

/** What is sealed. */
export type CloudAuth =
  | { apiKey: string }
  | { tenantId: string; clientId: string; clientSecret: string }
  | AwsKeys
  | { roleArn: string }
  /** of the router's machine, if the operator allows it */
  | { hostIdentity: true }
  | { serviceAccount: ServiceAccount };

/**
 * Sent when the router assumes a tenant's role, so that a tenant can't use another's. Not secret. Source:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html
 */
export const externalIdOf = (tenantId: string): string => `sampling-router:${tenantId}`;

interface Partition {
  regions: RegExp;
  /** in ARNs */
  name: string;
  domain: string;
}

/** Source: https://docs.aws.amazon.com/general/latest/gr/rande.html. Isolated regions aren't reachable. */
const partitions: readonly Partition[] = [
  { regions: /^cn-/, name: "aws-cn", domain: "amazonaws.com.cn" },
  { regions: /^us-gov-/, name: "aws-us-gov", domain: "amazonaws.com" },
  { regions: /^eusc-/, name: "aws-eusc", domain: "amazonaws.eu" },
];

export const partitionOf = (region: string): Omit<Partition, "regions"> =>
  partitions.find(({ regions }) => regions.test(region)) ?? {
    name: "aws",
    domain: "amazonaws.com",
  };

/** Source: https://docs.aws.amazon.com/STS/latest/APIReference/welcome.html */
export const stsUrl = (region: string): string =>
  `https://sts.${region}.${partitionOf(region).domain}/`;

/** Sources: the clouds' documentation of their endpoints */
const hostOf: { [C in Cloud]: (place: Extract<CloudPlace, { cloud: C }>) => string } = {
  azure: ({ endpoint }) => endpoint,
  bedrock: ({ region, served }) =>
    served?.host === "bedrock-mantle"
      ? `https://bedrock-mantle.${region}.api.aws`
      : `https://bedrock-runtime.${region}.${partitionOf(region).domain}`,
  vertex: ({ location }) => {
    if (location === "global") return "https://aiplatform.googleapis.com";
    // Multi-regions have hosts of their own.
    return location === "us" || location === "eu"
      ? `https://aiplatform.${location}.rep.googleapis.com`
      : `https://${location}-aiplatform.googleapis.com`;
  },
};

const rootOf = (place: CloudPlace, baseUrl: string | null): string => {
  const host = baseUrl ?? hostOf[place.cloud](place as never);
  return withoutTrailing(host, "/");
};

/**
 * The base URL of an API.
 * @param options.api the maker whose API is called
 * @param options.baseUrl replaces the cloud's host
 */
export function cloudUrl(
  place: CloudPlace,
  { baseUrl, api }: { baseUrl: string | null; api?: string | undefined },
): string {
  const root = rootOf(place, baseUrl);
  switch (place.cloud) {
    // Source: https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle
    case "azure":
      return `${root}/openai/v1`;
    // Source: https://docs.aws.amazon.com/bedrock/latest/userguide/apis.html
    case "bedrock":
      return api === "anthropic" ? root : `${root}${place.served?.path ?? "/openai/v1"}`;
    // Source: https://docs.cloud.google.com/vertex-ai/docs/reference/rest
    case "vertex": {
      const { project, location } = place;
      return `${root}/v1/projects/${project}/locations/${location}/publishers/${api ?? "google"}`;
    }
  }
}
