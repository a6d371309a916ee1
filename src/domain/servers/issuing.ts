/** The issuer of access tokens, from settings only, never from a request. */
import { err, ok, type Result } from "../result.ts";
import { isOwnMachine } from "./own-origin.ts";

export interface Issuing {
  issuer: Result<string, string>;
  refreshGraceMs: number;
}

const defaultGraceSeconds = 120;

function issuerOf([first]: readonly string[]): Issuing["issuer"] {
  if (first === undefined) return err("PUBLIC_URL is not set");
  const { protocol, hostname, origin, pathname } = new URL(first);
  // Clients look for metadata at the origin, and some drop the path.
  if (pathname !== "/") return err("PUBLIC_URL has a path");
  return protocol === "https:" || isOwnMachine(hostname)
    ? ok(origin)
    : err("PUBLIC_URL has no https");
}

export function parseIssuing(
  set: { OAUTH_REFRESH_GRACE_SECONDS?: string },
  publicUrls: readonly string[],
): Result<Issuing, { setting: string; problem: string }> {
  const seconds = Number(set.OAUTH_REFRESH_GRACE_SECONDS?.trim() || defaultGraceSeconds);
  return seconds >= 0 && seconds <= 600
    ? ok({ issuer: issuerOf(publicUrls), refreshGraceMs: seconds * 1_000 })
    : err({
        setting: "OAUTH_REFRESH_GRACE_SECONDS",
        problem: "must be a number of seconds, at most 600",
      });
}
