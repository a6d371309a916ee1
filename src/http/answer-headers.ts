/** What every answer of the proxy says of itself, be it the server's or the router's own. */

/** Both headers in which a key comes, and that by which CORS is decided. */
const keyHeaders = ["Authorization", "X-Sampling-Router-Key", "Origin"];

/** Adds the names that are not there yet. */
export function addVary(headers: Headers, names: readonly string[]): void {
  const vary = headers.get("Vary");
  if (vary === null) return headers.set("Vary", names.join(", "));
  const there = vary.toLowerCase().split(/\s*,\s*/);
  const missing = names.filter((name) => !there.includes(name.toLowerCase()));
  if (missing.length > 0) headers.set("Vary", [vary, ...missing].join(", "));
}

/** No cache gives an answer to another key, and no browser takes its body for another type than it says. */
export function protectAnswer(headers: Headers): void {
  headers.set("X-Content-Type-Options", "nosniff");
  addVary(headers, keyHeaders);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "private");
}
