/**
 * Preloaded into Portkey's gateway, which changes the headers of its provider's response. On Node they are immutable for
 * streams, and each stream fails with 500.
 */
const { fetch, Response, Headers } = globalThis;

globalThis.fetch = async (...request) => {
  const { body, status, headers } = await fetch(...request);
  return new Response(body, { status, headers: new Headers(headers) });
};
