/** Where a credential's requests go. */
import { withoutTrailing } from "../domain/bounded-url.ts";
import { baseUrls } from "../domain/choice/endpoints.ts";
import { memoizedByText } from "../domain/memoized.ts";
import { cloudUrl } from "../domain/models/cloud-place.ts";
import type { ProviderCredential } from "../domain/sampling/providers.ts";

/** A cloud's `provider` is the maker whose API serves the model. */
export type CredentialPlace = Pick<ProviderCredential, "provider" | "baseUrl" | "place">;

function httpUrlOf(text: string): URL | null {
  const url = URL.parse(text);
  return url?.protocol === "https:" || url?.protocol === "http:" ? url : null;
}

// Memoized: used several times per call, and parsing is slow.
const urlOf = memoizedByText((text) => httpUrlOf(text)?.toString() ?? null);
/** Ollama's OLLAMA_HOST names only the host; its OpenAI wire is at `/v1`. */
const ollamaUrlOf = memoizedByText((text) => {
  const url = httpUrlOf(text);
  if (url?.pathname === "/") url.pathname = "/v1";
  return url?.toString() ?? null;
});

/** Anthropic's SDKs append `/v1`, so gateways and other makers document addresses without it. */
const anthropicUrlOf = memoizedByText((text) => {
  const url = httpUrlOf(text);
  if (url?.pathname.match(/\/anthropic\/?$/))
    url.pathname = `${withoutTrailing(url.pathname, "/")}/v1`;
  return url?.toString() ?? null;
});

export function baseUrlOf({ provider, baseUrl, place }: CredentialPlace): string | null {
  if (place) return urlOf(cloudUrl(place, { baseUrl, api: provider }));
  const text = baseUrl?.trim() ? baseUrl.trim() : baseUrls.get(provider);
  if (text === undefined) return null;
  if (provider === "anthropic") return anthropicUrlOf(text);
  return provider === "ollama" ? ollamaUrlOf(text) : urlOf(text);
}
