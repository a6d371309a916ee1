/** Entries of the authorization server in memory, for tests whose subject is not the store. */
import type { OauthEntry, OauthEntryStore } from "../../src/domain/ports/oauth-entries.ts";
import { ok } from "../../src/domain/result.ts";

export function createOauthEntries(): OauthEntryStore {
  const rows = new Map<string, OauthEntry>();
  let versions = 0;
  const place = (tenantId: string, key: string): string => `${tenantId} ${key}`;
  const alive = (entry: OauthEntry | undefined, now: number): entry is OauthEntry =>
    entry !== undefined && (entry.expiresAt === null || entry.expiresAt > now);
  const beginning = (tenantId: string, prefix: string, now: number): OauthEntry[] =>
    [...rows]
      .filter(([at, row]) => at.startsWith(place(tenantId, prefix)) && alive(row, now))
      .map(([, row]) => row)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return {
    async get(tenantId, keys, now) {
      const found = keys.map((key) => rows.get(place(tenantId, key)));
      return ok(found.filter((entry) => alive(entry, now)));
    },
    async change({ tenantId, key, value, expiresAt, ifVersion }, now) {
      const at = place(tenantId, key);
      const row = rows.get(at);
      const known = alive(row, now) ? row.version : null;
      const isUnchanged =
        ifVersion === "any" || (ifVersion === "absent" ? known === null : known === ifVersion.is);
      if (!isUnchanged) return ok(false);
      if (value === null) rows.delete(at);
      else rows.set(at, { key, value, version: String((versions += 1)), expiresAt });
      return ok(true);
    },
    async list(tenantId, { prefix, after, limit }, now) {
      const all = beginning(tenantId, prefix, now);
      return ok(all.filter(({ key }) => key > after).slice(0, limit));
    },
    count: async (tenantId, { prefix, max }, now) =>
      ok(Math.min(max, beginning(tenantId, prefix, now).length)),
    async evict(tenantId, { prefix, endsBy }, now) {
      const [first] = beginning(tenantId, prefix, now)
        .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= endsBy)
        .toSorted((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0));
      return ok(first !== undefined && rows.delete(place(tenantId, first.key)));
    },
    prune: async () => ok(0),
  };
}
