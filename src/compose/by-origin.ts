/** Compositions of a process by origin, which the router's own address depends on. */

import { keptByName } from "./isolate.ts";

/** Clients choose `Host`, so the number is bounded; the least recently used is dropped. */
const originsKept = 16;

const beginningOf = (url: string): string => {
  const end = url.indexOf("/", url.indexOf("//") + 2);
  return end === -1 ? url : url.slice(0, end);
};

/** @param publicOrigins of `PUBLIC_URL`, never dropped */
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
