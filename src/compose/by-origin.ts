/** Compositions of a process: one for each origin at which it is asked, since what is the router's own depends on it. */

/** A client may send any `Host`, so no more are kept. A composition that was given up is made anew. */
const originsKept = 16;

/** The scheme and the host of an absolute URL, as they stand there. */
const beginningOf = (url: string): string => {
  const end = url.indexOf("/", url.indexOf("//") + 2);
  return end === -1 ? url : url.slice(0, end);
};

export function createCompositions<T>(composeAt: (origin: string) => T): (url: string) => T {
  const kept = new Map<string, T>();
  return (url) => {
    const beginning = beginningOf(url);
    const known = kept.get(beginning);
    if (known !== undefined) return known;
    const made = composeAt(new URL(url).origin);
    const [oldest] = kept.keys();
    if (kept.size >= originsKept && oldest !== undefined) kept.delete(oldest);
    kept.set(beginning, made);
    return made;
  };
}
