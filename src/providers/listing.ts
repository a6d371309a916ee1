/**
 * The models that a provider lists for a key: `GET /v1/models`, which OpenAI defined and others
 * adopted.
 */
import { withoutTrailing } from "../domain/bounded-url.ts";
import { readBounded } from "../domain/bounded-body.ts";
import { isObject, own, type JsonValue } from "../domain/json.ts";
import type { ProviderRequest } from "../domain/sampling/providers.ts";

const mostBytes = 4 * 1024 * 1024;
const mostListed = 500;
/** The ids are a stranger's text that an administrator sees, so nothing but ids passes. */
const id = /^[A-Za-z0-9@][\w.:/@+-]{0,199}$/;

const headersFor = ({
  provider,
  apiKey,
}: ProviderRequest["credential"]): Record<string, string> => {
  if (apiKey === "") return {};
  if (provider === "anthropic") return { "x-api-key": apiKey, "anthropic-version": "2023-06-01" };
  if (provider === "google") return { "x-goog-api-key": apiKey };
  return { Authorization: `Bearer ${apiKey}` };
};

/** Reads OpenAI's `{data: [{id}]}` and Google's `{models: [{name: "models/…"}]}`; null: neither. */
function idsIn(body: JsonValue): string[] | null {
  const listed = own(body, "data") ?? own(body, "models");
  if (!Array.isArray(listed)) return null;
  return listed
    .filter((item) => isObject(item))
    .map((item) => own(item, "id") ?? own(item, "name"))
    .filter((name) => typeof name === "string")
    .map((name) => name.replace(/^models\//, ""))
    .filter((name) => id.test(name))
    .slice(0, mostListed);
}

/** null: the provider gives no list, or a list that can't be read. Never throws. */
export async function listModels(
  credential: ProviderRequest["credential"],
  access: { fetch: typeof fetch; baseUrl: string; signal: AbortSignal },
): Promise<string[] | null> {
  try {
    const url = `${withoutTrailing(access.baseUrl, "/")}/models`;
    const response = await access.fetch(url, {
      headers: { Accept: "application/json", ...headersFor(credential) },
      signal: access.signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      return null;
    }
    const bytes = await readBounded(response.body, mostBytes);
    return bytes === null ? null : idsIn(JSON.parse(new TextDecoder().decode(bytes)) as JsonValue);
  } catch {
    return null;
  }
}
