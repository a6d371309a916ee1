/** Compositions of a process: one for each origin at which it is asked, since what is the router's own depends on it. */

import { keptByName } from "./isolate.ts";

/** A client may send any `Host`, so no more are kept. The one that was asked longest ago is given up, and made anew. */
const originsKept = 16;

/** The scheme and the host of an absolute URL, as they stand there. */
const beginningOf = (url: string): string => {
  const end = url.indexOf("/", url.indexOf("//") + 2);
  return end === -1 ? url : url.slice(0, end);
};

/**
 * @param publicOrigins of `PUBLIC_URL`: whoever invents hosts, the compositions of these stay
 */
export function createCompositions<T>(
  composeAt: (origin: string) => T,
  publicOrigins: readonly string[],
): (url: string) => T {
  const composeFor = (beginning: string): T => composeAt(new URL(beginning).origin);
  const named = keptByName(composeFor, publicOrigins.length);
  const other = keptByName(composeFor, originsKept);
  return (url) => {
    const beginning = beginningOf(url);
    return (publicOrigins.includes(beginning) ? named : other)(beginning);
  };
}
