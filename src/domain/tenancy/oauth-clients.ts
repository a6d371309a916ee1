/** Which OAuth clients a tenant's policy lets in, by the domain that stands for a client. */
import type { OauthClientPolicy } from "../choice/policy.ts";

interface ClientPlace {
  /** whose metadata document describes the client; null: the client registered itself */
  clientDomain: string | null;
  redirectHost: string;
  redirectIsLoopback: boolean;
}

/**
 * Nobody has checked what a client says that registered itself, but its code goes to its own address. So the address
 * stands for the client, and every address of the person's own computer is `localhost`.
 */
export const domainOf = ({ clientDomain, redirectHost, redirectIsLoopback }: ClientPlace): string =>
  clientDomain ?? (redirectIsLoopback ? "localhost" : redirectHost);

function matches(pattern: string, domain: string): boolean {
  const wanted = pattern.toLowerCase();
  const asked = domain.toLowerCase().replace(/\.$/, "");
  return wanted.startsWith("*.") ? asked.endsWith(wanted.slice(1)) : asked === wanted;
}

/** @param domain null: nothing that was checked says whose program it is */
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
