/** Short sessions for the person's pages, stored under a hash of the cookie. */
import type { OauthEntryStore } from "../../../domain/ports/oauth-entries.ts";
import type { KeyStore } from "../../../domain/ports/stores.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { ok } from "../../../domain/result.ts";
import { shownSecret, signedIn, type AccountOwner } from "../../../domain/tenancy/user.ts";
import type { KeyCodes } from "../../callers/key-codes.ts";
import { isExpired } from "../../../domain/tenancy/access.ts";
import { holderIn, holderText, type Holder } from "../../../domain/tenancy/grant-ids.ts";

const sessionMs = 15 * 60_000;

export interface NewPersonSession {
  token: string;
  seconds: number;
}

export interface PersonIs {
  slug: string;
  holder: Holder;
  owner: AccountOwner | null;
}

export interface PersonSession extends PersonIs {
  once: string;
}

export interface SessionDatabase {
  entries: OauthEntryStore;
  keys: Pick<KeyStore, "get">;
  keyCodes: Pick<KeyCodes, "isKnown">;
}

interface PersonSessionDeps {
  databaseOfTenant: (tenantId: string) => SessionDatabase;
  sha256Hex: (text: string) => Promise<string>;
  nonce: () => string;
  isSame: (one: string, other: string) => Promise<boolean>;
  now: () => number;
}

export interface PersonSessions {
  begin(who: PersonIs): AsyncResult<NewPersonSession>;
  /** `null` without a session. A revoked, rotated, or expired key ends the session. */
  find(token: string, slug: string): AsyncResult<PersonSession | null>;
  /** Consumes a form's one-time value; `null` if it is outdated or foreign. */
  take(token: string, slug: string, once: string): AsyncResult<PersonSession | null>;
  end(token: string): AsyncResult<null>;
}

const tokenPattern = /^(ten_[0-9a-z]+\.key_[0-9a-z]+)\.[A-Za-z0-9_-]{43}$/;
const holderOf = (token: string): Holder | null => holderIn(tokenPattern.exec(token)?.[1] ?? "");

interface Kept extends Pick<PersonSession, "slug" | "owner" | "once"> {
  expiresAt: number;
}

export function createPersonSessions(deps: PersonSessionDeps): PersonSessions {
  const { databaseOfTenant, sha256Hex, nonce, isSame, now } = deps;
  const keyOf = async (token: string): Promise<string> => `person:${await sha256Hex(token)}`;

  const load = async (token: string, slug: string) => {
    const holder = holderOf(token);
    if (holder === null) return ok(null);
    const { tenantId, keyId } = holder;
    const { entries, keys, keyCodes } = databaseOfTenant(tenantId);
    const found = await entries.get(tenantId, [await keyOf(token)], now());
    if (!found.ok) return found;
    const [entry] = found.value;
    if (entry === undefined) return ok(null);
    const kept = JSON.parse(entry.value) as Kept;
    if (kept.slug !== slug) return ok(null);
    const key = await keys.get(tenantId, keyId);
    if (!key.ok) return key;
    if (key.value === null || key.value.revokedAt !== null || isExpired(key.value, now()))
      return ok(null);
    if (!(await keyCodes.isKnown(key.value))) return ok(null);
    const { owner } = kept;
    if (owner !== null && owner.shown !== signedIn && owner.shown !== shownSecret(key.value))
      return ok(null);
    return ok({ entry, kept, holder });
  };

  return {
    async begin({ slug, holder, owner }) {
      const token = `${holderText(holder)}.${nonce()}`;
      const { tenantId } = holder;
      const expiresAt = now() + sessionMs;
      const kept: Kept = { slug, owner, once: nonce(), expiresAt };
      const written = await databaseOfTenant(tenantId).entries.change(
        {
          tenantId,
          key: await keyOf(token),
          value: JSON.stringify(kept),
          expiresAt,
          ifVersion: "absent",
        },
        now(),
      );
      return written.ok ? ok({ token, seconds: sessionMs / 1_000 }) : written;
    },

    async find(token, slug) {
      const found = await load(token, slug);
      if (!found.ok || found.value === null) return found;
      const { kept, holder } = found.value;
      return ok({ slug, holder, owner: kept.owner, once: kept.once });
    },

    async take(token, slug, once) {
      const found = await load(token, slug);
      if (!found.ok || found.value === null) return found;
      const { entry, kept, holder } = found.value;
      if (!(await isSame(once, kept.once))) return ok(null);
      const { tenantId } = holder;
      const fresh: Kept = { ...kept, once: nonce() };
      const { key, version } = entry;
      const written = await databaseOfTenant(tenantId).entries.change(
        {
          tenantId,
          key,
          value: JSON.stringify(fresh),
          expiresAt: kept.expiresAt,
          ifVersion: { is: version },
        },
        now(),
      );
      if (!written.ok) return written;
      return ok(written.value ? { slug, holder, owner: kept.owner, once: fresh.once } : null);
    },

    async end(token) {
      const holder = holderOf(token);
      if (holder === null) return ok(null);
      const { tenantId } = holder;
      const key = await keyOf(token);
      const gone = { tenantId, key, value: null, expiresAt: null, ifVersion: "any" } as const;
      const ended = await databaseOfTenant(tenantId).entries.change(gone, now());
      return ended.ok ? ok(null) : ended;
    },
  };
}
