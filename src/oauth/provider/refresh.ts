/**
 * Refresh token families. The library knows the current token and the previous one; the router keeps the whole
 * family (`domain/tenancy/refresh-family.ts`).
 */
import {
  judgeRefresh,
  noFamily,
  replaceToken,
  type RefreshFamily,
  type RefreshVerdict,
} from "../../domain/tenancy/refresh-family.ts";
import type { Lens } from "./storage.ts";

interface GrantEntry {
  refreshTokenId?: string;
  refreshTokenWrappedKey?: string;
  previousRefreshTokenId?: string;
  previousRefreshTokenWrappedKey?: string;
  family?: RefreshFamily;
}

/** The code's exchange writes the first token without a family. */
function familyOf({ family = noFamily, refreshTokenId, refreshTokenWrappedKey }: GrantEntry) {
  const known = [...family.live, ...family.replaced].some(({ id }) => id === refreshTokenId);
  if (known || refreshTokenId === undefined || refreshTokenWrappedKey === undefined) return family;
  const newest = { id: refreshTokenId, key: refreshTokenWrappedKey };
  return { ...family, live: [...family.live, newest] };
}

export interface RefreshLens extends Lens {
  /** for the grant as the library read it */
  verdict(): RefreshVerdict;
}

/** @param id hash of the exchanged refresh token */
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
