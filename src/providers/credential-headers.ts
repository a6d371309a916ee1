import type { ProviderRequest } from "../domain/sampling/providers.ts";

/** Sends a credential's additional headers with each request. */
export function headedFetch(
  inner: typeof fetch,
  { headers = {} }: Pick<ProviderRequest["credential"], "headers">,
): typeof fetch {
  if (Object.keys(headers).length === 0) return inner;
  return (input, init) => {
    const sent = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    return inner(input, { ...init, headers: Object.fromEntries(sent) });
  };
}

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
