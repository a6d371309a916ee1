/** Requests to a cloud, authenticated in place of the libraries' own headers. */
import type { CloudPlace } from "../../domain/models/cloud-place.ts";
import type { ProviderCredential } from "../../domain/sampling/providers.ts";

/** Headers in which the libraries send the key. */
const keyHeaders = ["authorization", "x-api-key", "x-goog-api-key"];

/** Source: https://learn.microsoft.com/azure/ai-services/openai/reference#authentication */
const keyHeaderOf = ({ auth }: CloudPlace, key: string): [name: string, value: string] =>
  auth === "apiKey" ? ["api-key", key] : ["authorization", `Bearer ${key}`];

/** Unchanged for other providers. */
export function cloudFetch(
  inner: typeof fetch,
  { place, apiKey }: Pick<ProviderCredential, "apiKey" | "place">,
): typeof fetch {
  if (!place) return inner;
  return (input, init) => {
    const headers = new Headers(init?.headers);
    for (const name of keyHeaders) headers.delete(name);
    headers.set(...keyHeaderOf(place, apiKey));
    return inner(input, { ...init, headers: Object.fromEntries(headers) });
  };
}
