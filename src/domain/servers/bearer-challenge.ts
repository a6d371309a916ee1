/** `WWW-Authenticate` of a rejected request (RFC 6750 section 3, RFC 9728 section 5.1). */

export interface BearerChallenge {
  error: string | null;
  metadata: string | null;
  scopes: string[] | null;
}

const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
const maxScopes = 64;

export const isScope = (text: string): boolean => scopePattern.test(text);

const parameterIn = (challenge: string, name: string): string | null => {
  const [, quoted, bare] =
    new RegExp(`(?:^|[\\s,])${name}=(?:"([^"]*)"|([^\\s",]+))`, "i").exec(challenge) ?? [];
  return quoted ?? bare ?? null;
};

export function bearerChallengeIn(challenge: string | null): BearerChallenge {
  const text = challenge ?? "";
  const metadata = parameterIn(text, "resource_metadata");
  const named = parameterIn(text, "scope")?.split(" ").filter(isScope);
  return {
    error: parameterIn(text, "error"),
    metadata: metadata !== null && /^\S+$/.test(metadata) ? metadata : null,
    scopes: named?.slice(0, maxScopes) ?? null,
  };
}

export const scopesOfBoth = (some: readonly string[], more: readonly string[]): string[] =>
  [...new Set([...some, ...more])].slice(0, maxScopes);
