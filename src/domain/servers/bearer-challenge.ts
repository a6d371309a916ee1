/** `WWW-Authenticate` of a server that refuses a request (RFC 6750 section 3, RFC 9728 section 5.1). */

export interface BearerChallenge {
  error: string | null;
  /** where the resource's metadata is; null: the server doesn't say */
  metadata: string | null;
  /** null: the server doesn't say */
  scopes: string[] | null;
}

const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
const mostScopes = 64;

/** Source: RFC 6749, section 3.3. */
export const isScope = (text: string): boolean => scopePattern.test(text);

const parameterIn = (challenge: string, name: string): string | null => {
  const [, quoted, bare] =
    new RegExp(`(?:^|[\\s,])${name}=(?:"([^"]*)"|([^\\s",]+))`, "i").exec(challenge) ?? [];
  return quoted ?? bare ?? null;
};

/** @param challenge the header's value; null: there was none */
export function bearerChallengeIn(challenge: string | null): BearerChallenge {
  const text = challenge ?? "";
  const metadata = parameterIn(text, "resource_metadata");
  const named = parameterIn(text, "scope")?.split(" ").filter(isScope);
  return {
    error: parameterIn(text, "error"),
    metadata: metadata !== null && /^\S+$/.test(metadata) ? metadata : null,
    scopes: named?.slice(0, mostScopes) ?? null,
  };
}

/** All of both, each once, up to the most that a server may have a person asked for. */
export const scopesOfBoth = (some: readonly string[], more: readonly string[]): string[] =>
  [...new Set([...some, ...more])].slice(0, mostScopes);
