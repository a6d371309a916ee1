/** What the library gets in the place of its runtime's globals. */
import { createBoundedMap } from "../../domain/bounded-map.ts";
import { loadProvider, type DocumentCache, type Library } from "#oauth-provider";
import { readBounded } from "../../domain/bounded-body.ts";
import { problemWithEndpoint } from "../../domain/servers/upstreams.ts";

/** of a document that describes a client, and of a client's keys */
const mostBytes = 64 * 1024;
const timeoutMs = 10_000;
const documentsKept = 200;

interface FetchDeps {
  /** for what an administrator named */
  fetch: typeof fetch;
  /** for what strangers name: refuses what resolves to a private address, where the host can see that */
  fetchPublic: typeof fetch;
  /** whether an administrator may name a private address */
  allowPrivate: boolean;
}

/**
 * Marks the URL of an issuer's keys, which a tenant's administrator chose. The library refuses a fragment in every URL that
 * a client names, so a client can't set the mark.
 */
const chosenMark = "#chosen-by-administrator";
export const chosenByAdministrator = (url: string): string => `${url}${chosenMark}`;

/** Asks for a document: no redirect is followed, and the answer is short or refused. */
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
    const bytes = await readBounded(answer.body, mostBytes);
    if (bytes === null) throw new Error("too long");
    return new Response(bytes, { headers: answer.headers });
  };
}

/** ms. As long as the library waits before it asks an issuer again for a key that it does not know. */
const keysRememberedMs = 30_000;

/**
 * A set of keys is asked for once in 30 s, so that somebody who sends forged assertions makes the router ask an
 * identity provider no more often. The library marks the request by `cf`.
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

/** Documents by their own `Cache-Control`, which the library has bounded and written into the response. */
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

/** Made once in a process: the library itself remembers clients' keys for some minutes. */
export function loadLibrary(deps: FetchDeps & { now: () => number }): Library {
  const documents = createDocumentCache(deps.now);
  return loadProvider({
    fetch: rememberKeys(createDocumentFetch(deps), deps.now),
    // The guarded fetch does what this flag promises.
    Cloudflare: { compatibilityFlags: { global_fetch_strictly_public: true } },
    caches: { open: async () => documents },
    // What goes wrong is told in the answer, and by the router's own log.
    console: { warn: () => {} },
  });
}
