import { toBase64Url } from "../../crypto/encoding.ts";
import type { Stores, Vault } from "../../domain/ports/stores.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import { createIdentityClient } from "../../oauth/identity.ts";
import type { ConsentDatabase } from "../../pipeline/people/consent/consent-grants.ts";
import { createConsentPeople } from "../../pipeline/people/consent-people.ts";
import { createFailedSignIns } from "../../pipeline/people/failed-sign-ins.ts";
import { createGrantChecks } from "../../pipeline/people/grant-checks.ts";
import type { KeyCodes } from "../../pipeline/callers/key-codes.ts";
import { now, randomBytesOf, type Isolate } from "../isolate.ts";

export function createDatabasePeople(
  { config, host, tokens, hashes, signInThrottle }: Isolate,
  { ids, stores, vault, keyCodes }: { ids: Ids; stores: Stores; vault: Vault; keyCodes: KeyCodes },
): Pick<ConsentDatabase, "people" | "checks"> {
  const { users, keys, tenants, signIns, servers, oauthEntries: entries } = stores;
  const identity = createIdentityClient({
    fetch: host.fetch,
    allowPrivate: config.allowPrivateUpstreams,
    now,
  });
  return {
    people: createConsentPeople({
      users,
      keys,
      tenants,
      signIns,
      servers,
      vault,
      keyCodes,
      tokens,
      userHash: hashes.userHash,
      nonce: () => toBase64Url(randomBytesOf(32)),
      ids,
      now,
      identity,
      throttle: signInThrottle,
      noteFailed: createFailedSignIns({ events: stores.events, ids, log: host.log, now }),
    }),
    checks: createGrantChecks({ entries, signIns, vault, identity, now }),
  };
}
