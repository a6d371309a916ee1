/** Headers that a credential adds to requests, for example for a gateway before the provider. */
import { asRead } from "./header-table.ts";
import { problemWithHeaders, type HeaderProblem } from "./static-headers.ts";
import { isPlaceholder } from "../tenancy/placeholders.ts";
import type { HeaderValues } from "../tenancy/credential-secret.ts";

/** Written by the router, or covered by AWS's signature. */
const written = /^(authorization|cookie|anthropic-(version|beta)|openai-beta|x-amz-.*)$/;

/** The header in which the provider takes the key, unless it is `Authorization`. */
const keyHeaders: ReadonlyMap<string, string> = new Map([
  ["anthropic", "x-api-key"],
  ["google", "x-goog-api-key"],
  ["azure", "api-key"],
]);

/** Not called over HTTP. */
const withoutHttp: ReadonlySet<string> = new Set(["workers-ai", "demo"]);

/** null: valid. Repeats no value. */
export function problemWithRequestHeaders(
  provider: string,
  headers: HeaderValues,
): HeaderProblem | null {
  const entries = Object.entries(headers);
  if (entries.length > 0 && withoutHttp.has(provider))
    return { name: null, detail: `"${provider}" isn't called over HTTP.` };
  for (const [name, value] of entries) {
    const read = asRead(name);
    if (written.test(read) || read === keyHeaders.get(provider))
      return { name, detail: "The router sets this header. Send the key as apiKey or auth." };
    if (isPlaceholder(value.replace(/^Bearer /i, "")))
      return { name, detail: "This is a placeholder. Replace it with your own value." };
  }
  return problemWithHeaders({ ...headers });
}
