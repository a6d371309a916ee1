/** People's account pages across databases. */
import { toBase64Url } from "../crypto/encoding.ts";
import { sameText } from "../crypto/same-text.ts";
import type { AuthorizationServer } from "../domain/ports/authorization-server.ts";
import type { Stores } from "../domain/ports/stores.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import { mapped } from "../domain/result.ts";
import type { Ids } from "../domain/tenancy/ids.ts";
import type { Authenticate } from "../pipeline/callers/authenticate.ts";
import type { ConsentDatabase } from "../pipeline/people/consent/consent-grants.ts";
import type { KeyCodes } from "../pipeline/callers/key-codes.ts";
import type { ConnectDatabase } from "../pipeline/people/consent/person-connections.ts";
import { createPersonPages, type PersonPages } from "../pipeline/people/consent/person-pages.ts";
import {
  createPersonPageSignIn,
  type SignInDatabase,
} from "../pipeline/people/consent/person-page-sign-in.ts";
import { createPersonSessions } from "../pipeline/people/consent/person-sessions.ts";
import { now, randomBytesOf, type Isolate } from "./isolate.ts";

interface DatabaseParts {
  stores: Pick<Stores, "oauthEntries" | "servers" | "events" | "userTokens" | "keys" | "users">;
  keyCodes: Pick<KeyCodes, "isKnown">;
  ids: Ids;
  consenting: () => Pick<ConsentDatabase, "people">;
  services: { admin: { authenticate: Authenticate } };
  admin: { authorizations: Pick<ConnectDatabase, "beginForPerson"> };
}

interface Deps {
  databaseOfKey: (key: string) => DatabaseParts | null;
  databaseOfSlug: (slug: string) => AsyncResult<DatabaseParts>;
  databaseOfTenant: (tenantId: string) => DatabaseParts;
  grants: () => AuthorizationServer | null;
}

const signInDatabaseOf = ({ services, consenting }: DatabaseParts): SignInDatabase => ({
  authenticate: services.admin.authenticate,
  people: consenting().people,
});

export function createPeoplesPages(isolate: Isolate, deps: Deps): PersonPages {
  const { sha256Hex, consoleMac: mac, signInThrottle: throttle } = isolate;
  const nonce = () => toBase64Url(randomBytesOf(32));
  const sessions = createPersonSessions({
    databaseOfTenant(tenantId) {
      const { stores, keyCodes } = deps.databaseOfTenant(tenantId);
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
      databaseOfKey(key) {
        const database = deps.databaseOfKey(key);
        return database === null ? null : signInDatabaseOf(database);
      },
      databaseOfSlug: (slug) => mapped(deps.databaseOfSlug(slug), signInDatabaseOf),
      sessions,
      throttle,
      mac,
      nonce,
      now,
    }),
    databaseOfTenant(tenantId) {
      const { stores, ids, admin } = deps.databaseOfTenant(tenantId);
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
