/**
 * The attack: DNS rebinding or a forged `Host` passes the origin check, or redirects an OAuth code to the
 * attacker.
 */
import { withoutTrailing } from "../bounded-url.ts";

/** Excludes `0.0.0.0`, which browsers let foreign pages call. */
const ownMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export const isOwnMachine = (hostname: string): boolean => ownMachine.test(hostname);

export interface RequestOrigin {
  url: string;
  publicOrigins: readonly string[];
}

/** The requested origin if trusted, otherwise the first of `PUBLIC_URL`; null: unknown. */
export function ownOriginOf({ url, publicOrigins }: RequestOrigin): string | null {
  const { origin, hostname } = new URL(url);
  if (publicOrigins.includes(origin)) return origin;
  return publicOrigins[0] ?? (isOwnMachine(hostname) ? origin : null);
}

/** With a gateway's path; null: invalid. */
export function publicUrlsIn(texts: readonly string[]): string[] | null {
  const urls = texts.flatMap((text) => URL.parse(text) ?? []);
  return urls.length === texts.length && urls.every(({ protocol }) => /^https?:$/.test(protocol))
    ? urls.map(({ origin, pathname }) => `${origin}${withoutTrailing(pathname, "/")}`)
    : null;
}

/** Includes a gateway's path, which no request shows. */
export function ownUrlOf(asked: RequestOrigin, publicUrls: readonly string[]): string | null {
  const origin = ownOriginOf(asked);
  return publicUrls.find((url) => new URL(url).origin === origin) ?? origin;
}

/** Without a request. @param origin where requests arrive */
export const knownUrl = (
  origin: string | undefined,
  {
    publicOrigins,
    publicUrls,
  }: Pick<RequestOrigin, "publicOrigins"> & { publicUrls: readonly string[] },
): string | null =>
  ownUrlOf({ url: origin ?? "https://unknown.invalid", publicOrigins }, publicUrls);

export function isOwnOrigin(from: string, { url, publicOrigins }: RequestOrigin): boolean {
  if (publicOrigins.includes(from)) return true;
  const { origin, hostname } = new URL(url);
  return from === origin && isOwnMachine(hostname);
}
