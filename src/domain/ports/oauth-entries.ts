/** What the router keeps as an authorization server: clients, grants, tokens, open consents. */
import { canonicalJson } from "../canonical.ts";
import type { AsyncResult } from "../refusals.ts";

/** Entries of no tenant's, in the home database: clients and open consents, which belong to the issuer. */
export const issuersOwn = "";

/** What an entry's code covers. `version` is not covered: it says nothing but whether the entry was written again. */
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
  /** changes with every write */
  version: string;
  /** ms since the epoch; null: the entry stays until somebody deletes it */
  expiresAt: number | null;
}

export interface OauthEntryChange {
  tenantId: string;
  key: string;
  /** null: the entry is deleted */
  value: string | null;
  expiresAt: number | null;
  /** The entry must still be as it was read: its version; `absent`: there was none; `any`: it was not read. */
  ifVersion: { is: string } | "absent" | "any";
}

export interface OauthEntryStore {
  /** those that have not expired */
  get(tenantId: string, keys: readonly string[], now: number): AsyncResult<OauthEntry[]>;
  /** false: the entry is no longer as it was read, and nothing was written. */
  change(change: OauthEntryChange, now: number): AsyncResult<boolean>;
  /** by key, after the key `after` */
  list(
    tenantId: string,
    of: { prefix: string; after: string; limit: number },
    now: number,
  ): AsyncResult<OauthEntry[]>;
  /** how many entries of the prefix there are, and no more than `most` of them are counted */
  count(tenantId: string, of: { prefix: string; most: number }, now: number): AsyncResult<number>;
  /**
   * Deletes the entry of the prefix that expires first, if it expires by `endsBy`.
   *
   * @returns whether there was one
   */
  evict(
    tenantId: string,
    of: { prefix: string; endsBy: number },
    now: number,
  ): AsyncResult<boolean>;
  /** Deletes what has expired. @returns how many entries that were */
  prune(now: number): AsyncResult<number>;
}
