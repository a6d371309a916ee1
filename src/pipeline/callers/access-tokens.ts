import { createBoundedMap } from "../../domain/bounded-map.ts";
import type { AuthorizationServer, TokenRights } from "../../domain/ports/authorization-server.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";

export interface AccessTokens {
  check(token: string, path: string): AsyncResult<TokenRights | null>;
}

/** ms: streams of a revoked grant end within five seconds. */
const rememberedMs = 2_500;

export interface TokenMemory {
  get(key: string): TokenRights | null;
  set(key: string, rights: TokenRights): void;
}

export function createTokenMemory(deps: { capacity: number; elapsed: () => number }): TokenMemory {
  const { capacity, elapsed } = deps;
  const kept = createBoundedMap<string, { rights: TokenRights; until: number }>(capacity);
  return {
    get(key) {
      const found = kept.get(key);
      return found === undefined || found.until < elapsed() ? null : found.rights;
    },
    set: (key, rights) => kept.set(key, { rights, until: elapsed() + rememberedMs }),
  };
}

export const createAccessTokens = (deps: {
  server: () => Pick<AuthorizationServer, "check"> | null;
  sha256Hex: (text: string) => Promise<string>;
  memory: TokenMemory;
  now: () => number;
}): AccessTokens => ({
  async check(token, path) {
    const server = deps.server();
    if (server === null) return ok(null);
    // Memory holds only hashes of tokens.
    const key = await deps.sha256Hex(`${path} ${token}`);
    const known = deps.memory.get(key);
    if (known !== null) return ok(known.expiresAt > deps.now() ? known : null);
    const checked = await server.check(token, path);
    if (checked.ok && checked.value !== null) deps.memory.set(key, checked.value);
    return checked;
  },
});
