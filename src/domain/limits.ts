/** Policy and reservation into holds; a store only sums, compares and bumps them. */
import type { Limits } from "./policy.ts";

export type Resource = "requests" | "tokens" | "concurrent";

/** Room asked for, of one limit. */
export interface Hold {
  /** `tenant` or `key` */
  scope: "tenant" | "key";
  /** whose: the tenant's or the key's id */
  subject: string;
  resource: Resource;
  /** the first one-second bucket that counts, in seconds since the epoch */
  since: number;
  /** the bucket that this hold is added to */
  bucket: number;
  limit: number;
  amount: number;
}

/** How one limit stands after admission. */
export interface LimitState {
  /** such as `tenant.requestsPerMinute` */
  name: string;
  limit: number;
  remaining: number;
  /** s until the oldest of what is used is free again, at the latest */
  resetSeconds: number;
}

export const windowSeconds = 60;

/** Until a call that holds concurrency may end; one that refuses for it says to come back then. */
export const concurrencyRetryMs = 1_000;

const limitNames = {
  requests: "requestsPerMinute",
  tokens: "tokensPerMinute",
  concurrent: "concurrent",
} as const satisfies Record<Resource, keyof Limits>;

export const nameOfLimit = (hold: Pick<Hold, "scope" | "resource">): string =>
  `${hold.scope}.${limitNames[hold.resource]}`;

/**
 * One-second buckets over the last minute, the current second and the whole one 60 s ago included:
 * never more than the limit in any minute, at the price of at most a second's delay.
 */
export function holdsOf(input: {
  now: number;
  scopes: readonly { scope: Hold["scope"]; subject: string; limits: Limits }[];
  tokens: number;
}): Hold[] {
  const bucket = Math.floor(input.now / 1_000);
  const amounts: Record<Resource, number> = { requests: 1, tokens: input.tokens, concurrent: 1 };
  return input.scopes.flatMap(({ scope, subject, limits }) =>
    (["requests", "tokens", "concurrent"] as const).flatMap((resource): Hold[] => {
      const limit = limits[limitNames[resource]];
      if (limit === undefined) return [];
      const amount = amounts[resource];
      return [{ scope, subject, resource, since: bucket - windowSeconds, bucket, limit, amount }];
    }),
  );
}
