/** A key's models from `GET /v1/models`, which OpenAI defined; Anthropic and Google paginate. */
import { withoutTrailing } from "../domain/bounded-url.ts";
import { readBounded } from "../domain/bounded-body.ts";
import { isObject, own, type JsonValue } from "../domain/json.ts";
import { hostShown, type ShownList } from "../domain/models/hosts.ts";
import type { FetchedListing } from "../domain/models/listings.ts";
import type { ProviderRequest } from "../domain/sampling/providers.ts";
import { credentialHeaders } from "./credential-headers.ts";

const maxBytes = 4 * 1024 * 1024;
const maxListed = 2_000;
const maxPages = 20;
/** Shown to administrators, so only well-formed ids pass. */
const id = /^[A-Za-z0-9@][\w.:/@+-]{0,199}$/;

/** OpenAI's `{data: [{id}]}` or Google's `{models: [{name: "models/…"}]}`. */
function idsIn(body: JsonValue): string[] | null {
  const listed = own(body, "data") ?? own(body, "models");
  if (!Array.isArray(listed)) return null;
  return listed
    .filter((item) => isObject(item))
    .map((item) => own(item, "id") ?? own(item, "name"))
    .filter((name) => typeof name === "string")
    .map((name) => name.replace(/^models\//, ""))
    .filter((name) => id.test(name));
}

/** Anthropic's `has_more` or Google's `nextPageToken`; `null` on the last page. */
function nextOf(body: JsonValue): Record<string, string> | null {
  const [last, token] = [own(body, "last_id"), own(body, "nextPageToken")];
  if (own(body, "has_more") === true) return { after_id: typeof last === "string" ? last : "" };
  return typeof token === "string" && token !== "" ? { pageToken: token } : null;
}

/** Largest page size, if there is one. */
const pageSizes: Readonly<Record<string, Record<string, string>>> = {
  anthropic: { limit: "1000" },
  google: { pageSize: "1000" },
};

interface Page {
  body: JsonValue;
  headers: Headers;
}

const shownIn = (body: JsonValue): ShownList["models"] => {
  const listed = own(body, "data");
  return Array.isArray(listed)
    ? listed.map((model) => ({ ownedBy: own(model, "owned_by"), created: own(model, "created") }))
    : [];
};

interface Access {
  fetch: typeof fetch;
  baseUrl: string;
  signal: AbortSignal;
}

/** `null` if there is no such page. Never throws. */
export async function readJson(
  url: string,
  { fetch, signal }: Pick<Access, "fetch" | "signal">,
  headers: Record<string, string> = {},
): Promise<Page | null> {
  try {
    const response = await fetch(url, {
      headers: { Accept: "application/json", ...headers },
      signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      return null;
    }
    const bytes = await readBounded(response.body, maxBytes);
    if (bytes === null) return null;
    const body = JSON.parse(new TextDecoder().decode(bytes)) as JsonValue;
    return { body, headers: response.headers };
  } catch {
    return null;
  }
}

function readPage(
  credential: ProviderRequest["credential"],
  access: Access,
  query: Record<string, string>,
): Promise<Page | null> {
  const url = new URL(`${withoutTrailing(access.baseUrl, "/")}/models`);
  for (const [name, value] of Object.entries({ ...pageSizes[credential.provider], ...query }))
    url.searchParams.set(name, value);
  return readJson(url.href, access, credentialHeaders(credential));
}

/** `null` if the provider gives no list. Never throws. */
export async function listModels(
  credential: ProviderRequest["credential"],
  access: Access,
): Promise<FetchedListing | null> {
  const ids = new Set<string>();
  let host: string | null = null;
  let query: Record<string, string> | null = {};
  for (let pages = 0; pages < maxPages && query !== null; pages += 1) {
    const page = await readPage(credential, access, query);
    const listed = page === null ? null : idsIn(page.body);
    if (page === null || listed === null)
      return pages === 0 ? null : { ids: [...ids], isComplete: false };
    host ??= hostShown({
      models: shownIn(page.body),
      hasHeader: (name) => page.headers.has(name),
    });
    const before = ids.size;
    for (const each of listed) ids.add(each);
    query = nextOf(page.body);
    // Stops at a page without new ids.
    if (ids.size > maxListed || (query !== null && ids.size === before)) break;
  }
  return {
    ids: [...ids].slice(0, maxListed),
    isComplete: query === null && ids.size <= maxListed,
    ...(host !== null && { host }),
  };
}
