/** Sessions of the console, over the database of one shard. */
import { toBase64Url, toHex } from "../crypto/encoding.ts";
import type { Stores } from "../domain/ports/stores.ts";
import type { Ids } from "../domain/tenancy/ids.ts";
import type { Authenticate } from "../pipeline/authenticate.ts";
import { createConsoleSessions, type ConsoleSessions } from "../pipeline/console-sessions.ts";
import type { KeyCodes } from "../pipeline/key-codes.ts";
import { now, type Isolate } from "./isolate.ts";

export function createShardConsole(
  isolate: Isolate,
  deps: { ids: Ids; stores: Stores; keyCodes: KeyCodes; authenticate: Authenticate },
): ConsoleSessions {
  const { config, host, sha256, tokens, consoleTokens, consoleMac, signInThrottle } = isolate;
  const { ids, stores, keyCodes, authenticate } = deps;
  return createConsoleSessions({
    consoleSessions: stores.consoleSessions,
    events: stores.events,
    snapshots: stores.snapshots,
    authenticate,
    keyTokens: tokens,
    sessionTokens: consoleTokens,
    mac: consoleMac,
    keyCodes,
    isOperator: isolate.isOperator,
    operatorProof: async () => toHex(await sha256(`operator ${config.adminToken}`)),
    csrfOf: async (token) => toBase64Url(await sha256(`csrf ${token}`)),
    throttle: signInThrottle,
    note: host.log,
    ids,
    now,
  });
}
