import type { OauthClientPolicy } from "../choice/policy.ts";

interface ClientPlace {
  /** domain of the client's metadata document; null: registered dynamically */
  clientDomain: string | null;
  redirectHost: string;
  redirectIsLoopback: boolean;
}

/** A dynamically registered client is unverified, so its redirect host represents it; loopback is `localhost`. */
export const domainOf = ({ clientDomain, redirectHost, redirectIsLoopback }: ClientPlace): string =>
  clientDomain ?? (redirectIsLoopback ? "localhost" : redirectHost);

function matches(pattern: string, domain: string): boolean {
  const wanted = pattern.toLowerCase();
  const asked = domain.toLowerCase().replace(/\.$/, "");
  return wanted.startsWith("*.") ? asked.endsWith(wanted.slice(1)) : asked === wanted;
}

export function mayConnect(
  { allowedDomains, deniedDomains = [] }: OauthClientPolicy,
  domain: string | null,
): boolean {
  if (domain === null) return allowedDomains === undefined;
  const isNamed = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) => matches(pattern, domain));
  if (isNamed(deniedDomains)) return false;
  return allowedDomains === undefined || isNamed(allowedDomains);
}
