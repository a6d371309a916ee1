import { memoizedByText } from "../memoized.ts";
import { hosts } from "../models/hosts.ts";
import { cloudUrl, type CloudPlace } from "../models/cloud-place.ts";

/** Always passed to provider libraries, which otherwise send a tenant's key to `OPENAI_BASE_URL`. */
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
  ...[...hosts].flatMap(([name, { baseUrl }]): [string, string][] =>
    baseUrl === null ? [] : [[name, baseUrl]],
  ),
]);

const originOf = memoizedByText((url) => URL.parse(url)?.origin ?? null);

/** Provider and origin, for example `openai https://api.openai.com`; no path, no secrets. */
export function endpointOf(credential: {
  provider: string;
  baseUrl?: string | null | undefined;
  place?: CloudPlace | null | undefined;
}): string {
  const { provider, baseUrl = null, place } = credential;
  const own = place ? cloudUrl(place, { baseUrl }) : baseUrl?.trim();
  const url = own || baseUrls.get(provider);
  const origin = url === undefined ? null : originOf(url);
  return origin === null ? provider : `${provider} ${origin}`;
}
