import { canonicalJson } from "../canonical.ts";
import type { AsyncResult } from "../refusals.ts";

/** Tenant id of entries that belong to the issuer. */
export const issuersOwn = "";

/** Authenticated content of an entry, without `version`. */
export const codedEntry = ({
  tenantId,
  key,
  value,
  expiresAt,
}: Pick<OauthEntry, "key" | "value" | "expiresAt"> & { tenantId: string }): string =>
  canonicalJson([tenantId, key, value, expiresAt]);

export interface OauthEntry {
  key: string;
  value: string;
  version: string;
  /** ms since the epoch; null: never */
  expiresAt: number | null;
}

export interface OauthEntryChange {
  tenantId: string;
  key: string;
  value: string | null;
  expiresAt: number | null;
  /** Optimistic lock: a version, `absent`, or `any`. */
  ifVersion: { is: string } | "absent" | "any";
}

export interface OauthEntryStore {
  get(tenantId: string, keys: readonly string[], now: number): AsyncResult<OauthEntry[]>;
  change(change: OauthEntryChange, now: number): AsyncResult<boolean>;
  list(
    tenantId: string,
    of: { prefix: string; after: string; limit: number },
    now: number,
  ): AsyncResult<OauthEntry[]>;
  count(tenantId: string, of: { prefix: string; max: number }, now: number): AsyncResult<number>;
  /** Deletes the first entry to expire, if it expires by `endsBy`. @returns whether one existed */
  evict(
    tenantId: string,
    of: { prefix: string; endsBy: number },
    now: number,
  ): AsyncResult<boolean>;
  prune(now: number): AsyncResult<number>;
}
