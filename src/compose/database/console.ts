import { toBase64Url, toHex } from "../../crypto/encoding.ts";
import type { Stores, Vault } from "../../domain/ports/stores.ts";
import type { NoteRejected } from "../../domain/tenancy/rejected-row.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import { createIdentityClient } from "../../oauth/identity.ts";
import { refuseUnknown, type Authenticate } from "../../pipeline/callers/authenticate.ts";
import {
  createConsoleSessions,
  type ConsoleSessions,
} from "../../pipeline/people/console-sessions.ts";
import { createFailedSignIns } from "../../pipeline/people/failed-sign-ins.ts";
import type { KeyCodes } from "../../pipeline/callers/key-codes.ts";
import {
  createPersonSignIn,
  openedSignIn,
  signInProofText,
  type PersonSignIn,
} from "../../pipeline/people/person-sign-in.ts";
import { now, randomBytesOf, type Isolate } from "../isolate.ts";

interface ConsoleParts {
  ids: Ids;
  stores: Stores;
  vault: Vault;
  keyCodes: KeyCodes;
  rejected: NoteRejected;
}

export function createDatabaseConsole(
  isolate: Isolate,
  deps: ConsoleParts & { authenticate: Authenticate },
): ConsoleSessions {
  const { config, host, sha256, tokens, consoleTokens, consoleMac, signInThrottle } = isolate;
  const { ids, stores, vault, keyCodes, rejected, authenticate } = deps;
  return createConsoleSessions({
    consoleSessions: stores.consoleSessions,
    events: stores.events,
    snapshots: stores.snapshots,
    authenticate,
    keyTokens: tokens,
    sessionTokens: consoleTokens,
    mac: consoleMac,
    rejected,
    keyCodes,
    isOperator: isolate.isOperator,
    operatorProof: async () => toHex(await sha256(`operator ${config.adminToken}`)),
    async signInProof(of) {
      const signIn = of === "operator" ? config.signIn : await openedSignIn(vault, of);
      return signIn === null ? null : toHex(await sha256(signInProofText(signIn)));
    },
    csrfOf: async (token) => toBase64Url(await sha256(`csrf ${token}`)),
    throttle: signInThrottle,
    noteFailed: createFailedSignIns({ events: stores.events, ids, log: host.log, now }),
    ids,
    now,
  });
}

export function createDatabaseSignIn(isolate: Isolate, deps: ConsoleParts): PersonSignIn {
  const { config, host, tokens, hashes, sha256, consoleMac, signInThrottle } = isolate;
  const { ids, stores, vault, keyCodes } = deps;
  return createPersonSignIn({
    users: stores.users,
    keyCodes,
    tokens,
    userHash: hashes.userHash,
    nonce: () => toBase64Url(randomBytesOf(32)),
    ids,
    signIns: stores.signIns,
    isOneOfMany: host.openTenantDatabase !== undefined && config.database.kind === "own",
    tenants: stores.tenants,
    vault,
    operatorSignIn: config.signIn,
    identity: createIdentityClient({
      fetch: host.fetch,
      allowPrivate: config.allowPrivateUpstreams,
      now,
    }),
    sha256Hex: async (text) => toHex(await sha256(text)),
    mac: consoleMac,
    consoleSessions: () => createDatabaseConsole(isolate, { ...deps, authenticate: refuseUnknown }),
    throttle: signInThrottle,
    noteFailed: createFailedSignIns({ events: stores.events, ids, log: host.log, now }),
    now,
  });
}
