import type { ProviderRequest } from "../domain/sampling/providers.ts";

export function credentialHeaders({
  provider,
  apiKey,
}: ProviderRequest["credential"]): Record<string, string> {
  if (provider === "anthropic")
    return { "anthropic-version": "2023-06-01", ...(apiKey !== "" && { "x-api-key": apiKey }) };
  if (apiKey === "") return {};
  if (provider === "google") return { "x-goog-api-key": apiKey };
  return { authorization: `Bearer ${apiKey}` };
}
