/**
 * Real clients refresh concurrently, so a recently replaced token still works a few times; later reuse means
 * theft.
 */

export const maxGraceUses = 10;
/** Unreplaced tokens, one for each process of the client */
const maxLive = 64;
const maxReplaced = 1_000;

interface LiveToken {
  id: string;
  /** the grant's key, wrapped with the token */
  key: string;
}

interface ReplacedToken {
  id: string;
  at: number;
  uses: number;
  key?: string;
}

export interface RefreshFamily {
  live: readonly LiveToken[];
  replaced: readonly ReplacedToken[];
}

export const noFamily: RefreshFamily = { live: [], replaced: [] };

export type RefreshVerdict =
  | { state: "good"; key: string }
  /** replaced recently, but used too often */
  | { state: "exhausted" }
  | { state: "reused" }
  | { state: "unknown" };

export function judgeRefresh(
  family: RefreshFamily,
  { id, now, graceMs }: { id: string; now: number; graceMs: number },
): RefreshVerdict {
  const live = family.live.find((token) => token.id === id);
  if (live !== undefined) return { state: "good", key: live.key };
  const replaced = family.replaced.find((token) => token.id === id);
  if (replaced === undefined) return { state: "unknown" };
  if (replaced.key === undefined || now - replaced.at >= graceMs) return { state: "reused" };
  return replaced.uses < maxGraceUses
    ? { state: "good", key: replaced.key }
    : { state: "exhausted" };
}

export function replaceToken(
  family: RefreshFamily,
  { by, made, now, graceMs }: { by: string; made: LiveToken; now: number; graceMs: number },
): RefreshFamily {
  const live = family.live.find(({ id }) => id === by);
  const replaced: ReplacedToken[] = family.replaced.map((token) => {
    const used = token.id === by ? { ...token, uses: token.uses + 1 } : token;
    if (now - used.at < graceMs) return used;
    const { key: _, ...old } = used;
    return old;
  });
  if (live !== undefined) replaced.push({ ...live, at: now, uses: 0 });
  return {
    live: [...family.live.filter(({ id }) => id !== by), made].slice(-maxLive),
    replaced: replaced.slice(-maxReplaced),
  };
}
