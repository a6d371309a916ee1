/** Headers of every answer of the proxy, be it the server's or the router's own. */

/** The two headers that carry a key, and the header by which CORS is decided. */
const keyHeaders = ["Authorization", "X-Sampling-Router-Key", "Origin"];

type Fields = Pick<Headers, "get" | "has" | "set">;

/** Adds those names to `Vary` that are not there yet. */
export function addVary(headers: Pick<Fields, "get" | "set">, names: readonly string[]): void {
  const vary = headers.get("Vary");
  if (vary === null) return headers.set("Vary", names.join(", "));
  const there = new Set(vary.split(",").map((name) => name.trim().toLowerCase()));
  const missing = names.filter((name) => !there.has(name.toLowerCase()));
  if (missing.length > 0) headers.set("Vary", [vary, ...missing].join(", "));
}

/** No cache may give an answer to another key, and no browser may take a body for another type than declared. */
export function protectAnswer(headers: Fields): void {
  headers.set("X-Content-Type-Options", "nosniff");
  addVary(headers, keyHeaders);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "private");
}
