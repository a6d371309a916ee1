/** Compositions of a process: one for each origin at which it is asked, since what is the router's own depends on it. */
import { createComposition, type Composition } from "./composition.ts";
import type { Isolate } from "./isolate.ts";
import type { Lifetime } from "./lifetime.ts";

/** A client may send any `Host`, so no more are kept. A composition that was given up is made anew. */
const originsKept = 16;

/** The scheme and the host of an absolute URL, as they stand there. */
const beginningOf = (url: string): string => {
  const end = url.indexOf("/", url.indexOf("//") + 2);
  return end === -1 ? url : url.slice(0, end);
};

export function createCompositions(
  isolate: Isolate,
  lifetime: Omit<Lifetime, "origin">,
): (url: string) => Composition {
  const kept = new Map<string, Composition>();
  return (url) => {
    const beginning = beginningOf(url);
    const known = kept.get(beginning);
    if (known !== undefined) return known;
    const made = createComposition(isolate, { ...lifetime, origin: new URL(url).origin });
    const [oldest] = kept.keys();
    if (kept.size >= originsKept && oldest !== undefined) kept.delete(oldest);
    kept.set(beginning, made);
    return made;
  };
}
