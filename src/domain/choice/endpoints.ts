/** Which credentials share an endpoint. What breaks at one endpoint breaks for all credentials that use it. */
import { rememberedByText } from "../remembered.ts";

/**
 * Where known providers are reached. The URLs of providers with a library of their own are here too, and always
 * handed in: without them the libraries read `OPENAI_BASE_URL` and the like, and would send a tenant's key
 * there.
 */
export const baseUrls: ReadonlyMap<string, string> = new Map([
  ["openai", "https://api.openai.com/v1"],
  ["anthropic", "https://api.anthropic.com/v1"],
  ["google", "https://generativelanguage.googleapis.com/v1beta"],
  ["openrouter", "https://openrouter.ai/api/v1"],
  ["mistral", "https://api.mistral.ai/v1"],
  ["groq", "https://api.groq.com/openai/v1"],
  ["xai", "https://api.x.ai/v1"],
  ["deepseek", "https://api.deepseek.com/v1"],
  ["together", "https://api.together.xyz/v1"],
  ["fireworks", "https://api.fireworks.ai/inference/v1"],
  ["cohere", "https://api.cohere.ai/compatibility/v1"],
  ["cerebras", "https://api.cerebras.ai/v1"],
]);

// Each call asks for the endpoints of all its candidates, and to parse a URL takes longer than to look it up.
const originOf = rememberedByText((url) => URL.parse(url)?.origin ?? null);

/**
 * A name for the endpoint: the provider and the origin of its base URL. Two credentials with the same
 * name share the endpoint. Holds no path and no secret. A provider without a URL is one endpoint.
 *
 * @example
 * endpointOf({ provider: "openai", baseUrl: null }); // "openai https://api.openai.com"
 */
export function endpointOf(credential: {
  provider: string;
  baseUrl?: string | null | undefined;
}): string {
  const { provider, baseUrl } = credential;
  const url = baseUrl?.trim() ? baseUrl.trim() : baseUrls.get(provider);
  const origin = url === undefined ? null : originOf(url);
  return origin === null ? provider : `${provider} ${origin}`;
}
