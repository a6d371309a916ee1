/** The pages on which people see and end what they let in, over all databases. */
import { toBase64Url } from "../crypto/encoding.ts";
import { sameText } from "../crypto/same-text.ts";
import type { AuthorizationServer } from "../domain/ports/authorization-server.ts";
import type { Stores } from "../domain/ports/stores.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import { ok } from "../domain/result.ts";
import type { Ids } from "../domain/tenancy/ids.ts";
import type { Authenticate } from "../pipeline/authenticate.ts";
import type { ConsentShard } from "../pipeline/consent-grants.ts";
import type { KeyCodes } from "../pipeline/key-codes.ts";
import type { ConnectShard } from "../pipeline/person-connections.ts";
import { createPersonPages, type PersonPages } from "../pipeline/person-pages.ts";
import { createPersonPageSignIn, type SignInShard } from "../pipeline/person-page-sign-in.ts";
import { createPersonSessions } from "../pipeline/person-sessions.ts";
import { now, randomBytesOf, type Isolate } from "./isolate.ts";

/** What of a shard is asked here. */
interface Shard {
  stores: Pick<Stores, "oauthEntries" | "servers" | "events" | "userTokens" | "keys" | "users">;
  keyCodes: Pick<KeyCodes, "isKnown">;
  ids: Ids;
  consenting: () => Pick<ConsentShard, "people">;
  services: { admin: { authenticate: Authenticate } };
  admin: { authorizations: Pick<ConnectShard, "beginForPerson"> };
}

interface Deps {
  /** null: the text is no key */
  shardOfKey: (key: string) => Shard | null;
  shardOfSlug: (slug: string) => AsyncResult<Shard>;
  shardOfTenant: (tenantId: string) => Shard;
  /** null: OAuth is off */
  grants: () => AuthorizationServer | null;
}

const signInShardOf = ({ services, consenting }: Shard): SignInShard => ({
  authenticate: services.admin.authenticate,
  people: consenting().people,
});

export function createPeoplesPages(isolate: Isolate, deps: Deps): PersonPages {
  const { sha256Hex, consoleMac: mac, signInThrottle: throttle } = isolate;
  const nonce = () => toBase64Url(randomBytesOf(32));
  const sessions = createPersonSessions({
    shardOfTenant(tenantId) {
      const { stores, keyCodes } = deps.shardOfTenant(tenantId);
      return { entries: stores.oauthEntries, keys: stores.keys, keyCodes };
    },
    sha256Hex: async (text) => sha256Hex(text),
    nonce,
    isSame: sameText,
    now,
  });
  return createPersonPages({
    sessions,
    signIn: createPersonPageSignIn({
      shardOfKey(key) {
        const shard = deps.shardOfKey(key);
        return shard === null ? null : signInShardOf(shard);
      },
      async shardOfSlug(slug) {
        const shard = await deps.shardOfSlug(slug);
        return shard.ok ? ok(signInShardOf(shard.value)) : shard;
      },
      sessions,
      throttle,
      mac,
      nonce,
      now,
    }),
    shardOfTenant(tenantId) {
      const { stores, ids, admin } = deps.shardOfTenant(tenantId);
      const { users, userTokens, servers, events } = stores;
      return {
        users,
        userTokens,
        servers,
        events,
        ids,
        beginForPerson: (server, asked) => admin.authorizations.beginForPerson(server, asked),
      };
    },
    grants: deps.grants,
    now,
  });
}
