/**
 * Where the router itself is, as far as a request can be believed. The attack: a page of a foreign name that
 * leads to this machine (DNS rebinding), or a caller, names a place of its own in `Host`. The origin check
 * would then take that page for the router's own. A person who authorizes the router would come back with a
 * code to the attacker's place.
 */
import { withoutTrailing } from "../bounded-url.ts";

/** A hostname as the URL parser writes it. `0.0.0.0` does not count: browsers let foreign pages call it. */
const ownMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether a URL's hostname names the machine on which it is used. */
export const isOwnMachine = (hostname: string): boolean => ownMachine.test(hostname);

export interface Asked {
  /** the URL at which the request arrived, with the host of its `Host` header */
  url: string;
  /** origins in `PUBLIC_URL` */
  publicOrigins: readonly string[];
}

/**
 * The router's origin for the caller: the one that the caller asked, if it may be believed, else the first of
 * `PUBLIC_URL`; null: unknown.
 */
export function ownOriginOf({ url, publicOrigins }: Asked): string | null {
  const { origin, hostname } = new URL(url);
  if (publicOrigins.includes(origin)) return origin;
  return publicOrigins[0] ?? (isOwnMachine(hostname) ? origin : null);
}

/** Each of `PUBLIC_URL`: its origin, with the path that a gateway puts before the router there; null: one is no URL. */
export function publicUrlsIn(texts: readonly string[]): string[] | null {
  const urls = texts.flatMap((text) => URL.parse(text) ?? []);
  return urls.length === texts.length && urls.every(({ protocol }) => /^https?:$/.test(protocol))
    ? urls.map(({ origin, pathname }) => `${origin}${withoutTrailing(pathname, "/")}`)
    : null;
}

/**
 * The router's address for a person's browser: its origin, with the path that a gateway puts before the router there.
 * No request says that path, since the gateway takes it away.
 */
export function ownUrlOf(asked: Asked, publicUrls: readonly string[]): string | null {
  const origin = ownOriginOf(asked);
  return publicUrls.find((url) => new URL(url).origin === origin) ?? origin;
}

/** The same where no request is at hand. `origin`: where the requests arrive that are served; absent: none did */
export const knownUrl = (
  origin: string | undefined,
  { publicOrigins, publicUrls }: Pick<Asked, "publicOrigins"> & { publicUrls: readonly string[] },
): string | null =>
  ownUrlOf({ url: origin ?? "https://unknown.invalid", publicOrigins }, publicUrls);

/** Whether a browser's `Origin` is the router's own. */
export function isOwnOrigin(from: string, { url, publicOrigins }: Asked): boolean {
  if (publicOrigins.includes(from)) return true;
  const { origin, hostname } = new URL(url);
  return from === origin && isOwnMachine(hostname);
}
