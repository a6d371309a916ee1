/**
 * A grant as the library sees it while a refresh token is exchanged. The library knows one refresh token and the one
 * before; the router keeps the whole family beside them (`domain/tenancy/refresh-family.ts`).
 */
import {
  judgeRefresh,
  noFamily,
  replaceToken,
  type RefreshFamily,
  type RefreshVerdict,
} from "../../domain/tenancy/refresh-family.ts";
import type { Lens } from "./storage.ts";

/** What of a grant's entry concerns refresh tokens. */
interface GrantEntry {
  refreshTokenId?: string;
  refreshTokenWrappedKey?: string;
  previousRefreshTokenId?: string;
  previousRefreshTokenWrappedKey?: string;
  family?: RefreshFamily;
}

/** A grant's own newest token may stand in no family yet: the code's exchange wrote it. */
function familyOf({ family = noFamily, refreshTokenId, refreshTokenWrappedKey }: GrantEntry) {
  const known = [...family.live, ...family.replaced].some(({ id }) => id === refreshTokenId);
  if (known || refreshTokenId === undefined || refreshTokenWrappedKey === undefined) return family;
  const newest = { id: refreshTokenId, key: refreshTokenWrappedKey };
  return { ...family, live: [...family.live, newest] };
}

export interface RefreshLens extends Lens {
  /** of the token, as the grant stood when the library read it */
  verdict(): RefreshVerdict;
}

/** @param id the hash of the refresh token that is exchanged */
export function createRefreshLens({
  id,
  now,
  graceMs,
}: {
  id: string;
  now: () => number;
  graceMs: number;
}): RefreshLens {
  let family: RefreshFamily = noFamily;
  let verdict: RefreshVerdict = { state: "unknown" };
  return {
    verdict: () => verdict,
    read(key, value) {
      if (!key.startsWith("grant:")) return value;
      const grant = JSON.parse(value) as GrantEntry;
      family = familyOf(grant);
      verdict = judgeRefresh(family, { id, now: now(), graceMs });
      const { previousRefreshTokenId: _, previousRefreshTokenWrappedKey: _key, ...rest } = grant;
      if (verdict.state === "good")
        return JSON.stringify({ ...rest, refreshTokenId: id, refreshTokenWrappedKey: verdict.key });
      const { refreshTokenId: _id, ...none } = rest;
      return JSON.stringify(none);
    },
    write(key, value) {
      if (!key.startsWith("grant:")) return value;
      const {
        previousRefreshTokenId: _,
        previousRefreshTokenWrappedKey: _key,
        ...grant
      } = JSON.parse(value) as GrantEntry;
      const { refreshTokenId, refreshTokenWrappedKey } = grant;
      if (refreshTokenId === undefined || refreshTokenWrappedKey === undefined) return value;
      const made = { id: refreshTokenId, key: refreshTokenWrappedKey };
      return JSON.stringify({
        ...grant,
        family: replaceToken(family, { by: id, made, now: now(), graceMs }),
      });
    },
  };
}
