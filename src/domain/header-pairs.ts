/** Parses comma-separated `name=value` pairs with percent-encoded values (OpenTelemetry); null: malformed. */
export function headerPairsIn(text: string): Record<string, string> | null {
  const headers: Record<string, string> = {};
  for (const pair of text.split(",").filter((part) => part.trim() !== "")) {
    const [, name, encoded] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([!-~]+)\s*$/.exec(pair) ?? [];
    if (name === undefined || encoded === undefined) return null;
    try {
      headers[name] = decodeURIComponent(encoded);
    } catch {
      return null;
    }
    if (!/^[ -~]+$/.test(headers[name])) return null;
  }
  return headers;
}
