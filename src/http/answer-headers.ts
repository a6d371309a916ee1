/** The headers that carry a key, and the one that CORS depends on. */
const keyHeaders = ["Authorization", "X-Sampling-Router-Key", "Origin"];

type Fields = Pick<Headers, "get" | "has" | "set">;

export function addVary(headers: Pick<Fields, "get" | "set">, names: readonly string[]): void {
  const vary = headers.get("Vary");
  if (vary === null) return headers.set("Vary", names.join(", "));
  const there = new Set(vary.split(",").map((name) => name.trim().toLowerCase()));
  const missing = names.filter((name) => !there.has(name.toLowerCase()));
  if (missing.length > 0) headers.set("Vary", [vary, ...missing].join(", "));
}

/** Prevents caching across keys and MIME sniffing. */
export function protectAnswer(headers: Fields): void {
  headers.set("X-Content-Type-Options", "nosniff");
  addVary(headers, keyHeaders);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "private");
}
