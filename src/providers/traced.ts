/** Adds trace headers at the request, since libraries take headers in many ways. */
export function tracedFetch(
  call: typeof fetch,
  headers: Record<string, string> | undefined,
): typeof fetch {
  if (headers === undefined || Object.keys(headers).length === 0) return call;
  return (input, init) => {
    const all = new Headers(
      init?.headers ?? (input instanceof Request ? input.headers : undefined),
    );
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return call(input, { ...init, headers: all });
  };
}
