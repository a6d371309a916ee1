/**
 * The library's storage over the router's tables, per request, with optimistic locking: writes succeed only if
 * the entry is as the request read it, so of concurrent identical requests one writes.
 */
import type { Storage } from "#oauth-provider";
import {
  issuersOwn,
  type OauthEntry,
  type OauthEntryStore,
} from "../../domain/ports/oauth-entries.ts";
import { tenantIn } from "../../domain/tenancy/grant-ids.ts";
import type { Refusal } from "../../domain/refusals.ts";
import type { Result } from "../../domain/result.ts";

/** Thrown through the library, which has no errors for them. */
type Thrown =
  /** concurrent write */
  { lostWrite: true } | { refusal: Refusal };

const thrownAs = (what: Thrown): Error => Object.assign(new Error("The storage says no."), what);

export const isLostWrite = (thrown: unknown): boolean =>
  thrown instanceof Error && "lostWrite" in thrown;

export const refusalThrown = (thrown: unknown): Refusal | null =>
  thrown instanceof Error && "refusal" in thrown ? (thrown.refusal as Refusal) : null;

export function stored<T>(result: Result<T, Refusal>): T {
  if (!result.ok) throw thrownAs({ refusal: result.error });
  return result.value;
}

export interface Lens {
  read(key: string, value: string): string;
  write(key: string, value: string): string;
}

interface StorageDeps {
  /** an empty tenant id means the issuer */
  entriesOf: (tenantId: string) => OauthEntryStore;
  now: () => number;
  lens?: Lens;
}

/** Clients and pending consents belong to the issuer, grants and tokens to their tenant. */
const ownerOf = (key: string): string => {
  const [kind, userId = ""] = key.split(":");
  return kind === "grant" || kind === "token" ? (tenantIn(userId) ?? issuersOwn) : issuersOwn;
};

const pageSize = 100;

export function createStorage({ entriesOf, now, lens }: StorageDeps): Storage {
  const seen = new Map<string, OauthEntry | null>();
  const change = async (key: string, value: string | null, expiresAt: number | null) => {
    const known = seen.get(key);
    const tenantId = ownerOf(key);
    const ifVersion =
      known === undefined
        ? value === null
          ? ("any" as const)
          : ("absent" as const)
        : known === null
          ? ("absent" as const)
          : { is: known.version };
    const written = await entriesOf(tenantId).change(
      { tenantId, key, value, expiresAt, ifVersion },
      now(),
    );
    seen.delete(key);
    if (!stored(written)) throw thrownAs({ lostWrite: true });
  };
  return {
    async get(key, options) {
      const tenantId = ownerOf(key);
      const found = await entriesOf(tenantId).get(tenantId, [key], now());
      const [entry] = stored(found);
      seen.set(key, entry ?? null);
      if (entry === undefined) return null;
      const value = lens?.read(key, entry.value) ?? entry.value;
      return options?.type === "json" ? (JSON.parse(value) as unknown) : value;
    },
    put(key, value, { expiration, expirationTtl } = {}) {
      const expiresAt =
        expiration !== undefined
          ? expiration * 1_000
          : expirationTtl !== undefined
            ? now() + expirationTtl * 1_000
            : null;
      return change(key, lens?.write(key, value) ?? value, expiresAt);
    },
    async delete(key) {
      if (seen.get(key) === null) return;
      await change(key, null, null);
    },
    async list({ prefix, limit = pageSize, cursor = "" }) {
      const tenantId = ownerOf(prefix);
      const found = await entriesOf(tenantId).list(
        tenantId,
        { prefix, after: cursor, limit },
        now(),
      );
      const keys = stored(found).map(({ key }) => ({ name: key }));
      const last = keys.at(-1);
      return keys.length < limit || last === undefined
        ? { keys, list_complete: true }
        : { keys, list_complete: false, cursor: last.name };
    },
  };
}
