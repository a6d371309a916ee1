/** Destination of a request that is sent without `fetch`. Memoized: calls use few URLs. */
import { memoizedByText } from "../../domain/memoized.ts";

export interface DirectPlace {
  origin: string;
  path: string;
  /** the content codings that `fetch` takes */
  codings: string;
}

/** `fetch` blocks some ports of other protocols; this is the highest. */
const lastReservedPort = 10_080;
const usualPorts: ReadonlySet<string> = new Set(["", "3000", "8000", "8080", "8443"]);
const isOpenPort = (port: string): boolean =>
  usualPorts.has(port) || Number(port) > lastReservedPort;

/** `place` null: left to `fetch` */
export const placeOf = memoizedByText((text): { place: DirectPlace | null } => {
  const url = URL.parse(text);
  const isHttp = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === null || !isHttp || !isOpenPort(url.port)) return { place: null };
  if (url.username !== "" || url.password !== "") return { place: null };
  const codings = url.protocol === "https:" ? "br, gzip, deflate" : "gzip, deflate";
  return { place: { origin: url.origin, path: url.pathname + url.search, codings } };
});
