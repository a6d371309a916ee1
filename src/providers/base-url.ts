/** Where a credential's requests go. */
import { baseUrls } from "../domain/choice/endpoints.ts";
import { rememberedByText } from "../domain/remembered.ts";
import type { ProviderRequest } from "../domain/sampling/providers.ts";

export type CredentialPlace = Pick<ProviderRequest["credential"], "provider" | "baseUrl">;

/** null: not a URL over http */
function httpUrlOf(text: string): URL | null {
  const url = URL.parse(text);
  return url?.protocol === "https:" || url?.protocol === "http:" ? url : null;
}

// Every call asks for its URL several times, and to parse a URL takes longer than to look it up.
const urlOf = rememberedByText((text) => httpUrlOf(text)?.toString() ?? null);
/** Ollama's own variable, OLLAMA_HOST, names the host alone; its OpenAI wire is at `/v1`. */
const ollamaUrlOf = rememberedByText((text) => {
  const url = httpUrlOf(text);
  if (url?.pathname === "/") url.pathname = "/v1";
  return url?.toString() ?? null;
});

/** null: the credential names no URL and its provider has none, or the URL is not one over http. */
export function baseUrlOf({ provider, baseUrl }: CredentialPlace): string | null {
  const text = baseUrl?.trim() ? baseUrl.trim() : baseUrls.get(provider);
  if (text === undefined) return null;
  return provider === "ollama" ? ollamaUrlOf(text) : urlOf(text);
}
