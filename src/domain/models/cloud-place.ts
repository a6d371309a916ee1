/** Places of clouds, which serve makers' models under their own names. */
import { withoutTrailing } from "../bounded-url.ts";

export const clouds = ["azure", "bedrock", "vertex"] as const;
export type Cloud = (typeof clouds)[number];

export const isCloud = (provider: string): provider is Cloud =>
  clouds.some((cloud) => cloud === provider);

export interface AzurePlace {
  cloud: "azure";
  /** of the resource, without path */
  endpoint: string;
  auth: "apiKey" | "clientSecret";
  tokenUrl?: string;
}

/** Where a cloud's credential is used, and how it authenticates. Contains no secrets. */
export type CloudPlace = AzurePlace;

/** What is sealed. */
export type CloudAuth =
  | { apiKey: string }
  | { tenantId: string; clientId: string; clientSecret: string };

/** Source: https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle */
const azurePath = "/openai/v1";

/** @param baseUrl replaces the cloud's host */
export const cloudUrl = (place: CloudPlace, baseUrl: string | null): string =>
  `${withoutTrailing(baseUrl ?? place.endpoint, "/")}${azurePath}`;
