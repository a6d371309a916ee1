/** Replaces the runtime's globals for the library. */
import { createBoundedMap } from "../../domain/bounded-map.ts";
import { loadProvider, type DocumentCache, type Library } from "#oauth-provider";
import { readBounded } from "../../domain/bounded-body.ts";
import { problemWithEndpoint } from "../../domain/servers/upstreams.ts";

/** client metadata documents and keys */
const maxBytes = 64 * 1024;
const timeoutMs = 10_000;
const documentsKept = 200;

interface FetchDeps {
  /** for URLs chosen by administrators */
  fetch: typeof fetch;
  /** for unauthenticated URLs: rejects private addresses where the host can resolve names */
  fetchPublic: typeof fetch;
  allowPrivate: boolean;
}

/** Marks URLs chosen by administrators. Clients can't set it, since the library rejects their fragments. */
const chosenMark = "#chosen-by-administrator";
export const chosenByAdministrator = (url: string): string => `${url}${chosenMark}`;

/** Bounded, without redirects. */
export function createDocumentFetch({ fetch: fetchChosen, fetchPublic, allowPrivate }: FetchDeps) {
  return async (named: string, init: RequestInit = {}): Promise<Response> => {
    const isChosen = named.endsWith(chosenMark);
    const input = isChosen ? named.slice(0, -chosenMark.length) : named;
    const fetch = isChosen ? fetchChosen : fetchPublic;
    const problem = problemWithEndpoint(input, { allowPrivate: isChosen && allowPrivate });
    if (problem !== null) throw new Error(problem);
    const { method = "GET", headers = {}, signal } = init;
    const deadline = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(input, {
      method,
      headers,
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
    if (!answer.ok) return new Response(null, { status: 502 });
    const bytes = await readBounded(answer.body, maxBytes);
    if (bytes === null) throw new Error("too long");
    return new Response(bytes, { headers: answer.headers });
  };
}

/** ms, as the library waits before it asks again for an unknown key. */
const keysRememberedMs = 30_000;

/**
 * Keys are fetched once in 30 s, so that forged assertions can't flood an identity provider. The library marks
 * the request by `cf`.
 */
export function rememberKeys(
  fetchDocument: ReturnType<typeof createDocumentFetch>,
  now: () => number,
): ReturnType<typeof createDocumentFetch> {
  const kept = createBoundedMap<string, { bytes: ArrayBuffer; until: number }>(documentsKept);
  return async (input, init) => {
    if (init === undefined || !("cf" in init)) return fetchDocument(input, init);
    const known = kept.get(input);
    if (known !== undefined && known.until > now()) return new Response(known.bytes.slice(0));
    const answer = await fetchDocument(input, init);
    if (!answer.ok) return answer;
    const bytes = await answer.arrayBuffer();
    kept.set(input, { bytes, until: now() + keysRememberedMs });
    return new Response(bytes.slice(0));
  };
}

/** By `Cache-Control`, which the library has bounded. */
export function createDocumentCache(now: () => number): DocumentCache {
  const kept = createBoundedMap<string, { bytes: ArrayBuffer; type: string; until: number }>(
    documentsKept,
  );
  return {
    async match(url) {
      const found = kept.get(url);
      if (found === undefined || found.until <= now()) return undefined;
      return new Response(found.bytes.slice(0), { headers: { "Content-Type": found.type } });
    },
    async put(url, response) {
      const seconds = Number(
        /max-age=(\d+)/.exec(response.headers.get("Cache-Control") ?? "")?.[1],
      );
      if (!(seconds > 0)) return;
      const type = response.headers.get("Content-Type") ?? "application/json";
      kept.set(url, {
        bytes: await response.arrayBuffer(),
        type,
        until: now() + seconds * 1_000,
      });
    },
    delete: async (url) => kept.delete(url),
  };
}

/** Once per process: the library caches clients' keys. */
export function loadLibrary(deps: FetchDeps & { now: () => number }): Library {
  const documents = createDocumentCache(deps.now);
  return loadProvider({
    fetch: rememberKeys(createDocumentFetch(deps), deps.now),
    // Fulfilled by the guarded fetch.
    Cloudflare: { compatibilityFlags: { global_fetch_strictly_public: true } },
    caches: { open: async () => documents },
    // Errors are in the answer and the router's log.
    console: { warn: () => {} },
  });
}
