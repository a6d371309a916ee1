/**
 * Refresh tokens of one grant. Each refresh replaces the token that asked, and real clients ask several times at once, from
 * several processes. So a token that was replaced a moment ago still gives a pair, some times. A token that was
 * replaced long ago and comes again was copied by somebody.
 */

/** Answers that a replaced token still gets. */
export const mostGraceUses = 10;
/** Tokens that nobody replaced yet: several processes of one client each hold one. */
const mostLive = 64;
/** Replaced tokens that are known when they come again. */
const mostReplaced = 1_000;

interface LiveToken {
  /** the token's hash */
  id: string;
  /** the grant's key, wrapped with the token */
  key: string;
}

interface ReplacedToken {
  id: string;
  /** ms since the epoch */
  at: number;
  uses: number;
  /** absent: too old to be answered */
  key?: string;
}

export interface RefreshFamily {
  live: readonly LiveToken[];
  replaced: readonly ReplacedToken[];
}

export const noFamily: RefreshFamily = { live: [], replaced: [] };

export type RefreshVerdict =
  /** a pair may be made */
  | { state: "good"; key: string }
  /** replaced a moment ago, and answered as often as may be */
  | { state: "exhausted" }
  /** replaced long ago: somebody copied it */
  | { state: "reused" }
  /** a token of nobody's */
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
  return replaced.uses < mostGraceUses
    ? { state: "good", key: replaced.key }
    : { state: "exhausted" };
}

/** The family after the token `by` gave the token `made`. */
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
    live: [...family.live.filter(({ id }) => id !== by), made].slice(-mostLive),
    replaced: replaced.slice(-mostReplaced),
  };
}
