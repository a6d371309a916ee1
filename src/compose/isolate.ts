/** State of an isolate, without I/O, which invocations can't share. */
import { createBoundedMap } from "../domain/bounded-map.ts";
import type { Config } from "../config.ts";
import { writesAtOnceOf } from "./writes-at-once.ts";
import { sameText } from "../crypto/same-text.ts";
import { createKeyedHash, userHash } from "../crypto/keyed-hash.ts";
import { createMac } from "../crypto/mac.ts";
import { hashing } from "../crypto/chain.ts";
import { createSigner, idOfPublicKey, verifySignature } from "../crypto/signatures.ts";
import { primitives } from "../crypto/primitives.ts";
import { createRandomBytes } from "../crypto/random.ts";
import { createKeyTokens } from "../crypto/tokens.ts";
import { createVaultKeys } from "../crypto/vault.ts";
import type { UnreadableRecord } from "../domain/audit/record.ts";
import { seedCatalogue } from "../domain/models/catalogue.ts";
import { createElapsed } from "../domain/clocks.ts";
import { createIds, type Ids } from "../domain/tenancy/ids.ts";
import { recordCodesPurpose } from "../domain/audit/evidence.ts";
import { homeDatabase } from "../domain/tenancy/database-names.ts";
import { isTenantDatabase } from "../domain/tenancy/tenant-databases.ts";
import { contentsOf } from "./contents.ts";
import type { Host } from "./host.ts";
import { createTokenMemory } from "../pipeline/callers/access-tokens.ts";
import { createAddressRate } from "../pipeline/callers/address-rates.ts";
import { createBodyAllowance, largeBodies } from "../pipeline/callers/body-allowance.ts";
import type { AuthMode } from "../domain/servers/server.ts";
import { createBriefMemory } from "../pipeline/people/consent/brief-memory.ts";
import { loadLibrary } from "../oauth/provider/surroundings.ts";
import { memoize } from "../domain/lazily.ts";
import { createMetering } from "./metering.ts";
import { sinkOf } from "./sink.ts";
import { createCallerMemory } from "../pipeline/callers/caller-memory.ts";
import { holdCatalogue } from "../pipeline/sampling/choice/catalogue.ts";
import { createDeliverySlots } from "../domain/limits/delivery-slots.ts";
import { createListingTries } from "../pipeline/sampling/attempts/model-lists.ts";
import { createLostAdmissions } from "../pipeline/sampling/admission/lost-admissions.ts";
import { createOpenedKeys } from "../pipeline/opened-keys.ts";
import { createGrantMemory } from "../pipeline/provider-keys.ts";
import { createOpenExchanges } from "../domain/limits/open-exchanges.ts";
import { createListenerMemory } from "../proxy/bridge/listeners.ts";
import { createParkedCalls } from "../proxy/bridge/parked-calls.ts";
import { createStreamMemory } from "../proxy/legacy/streams.ts";
import { createRetests } from "../proxy/retests.ts";
import { createChooser } from "../pipeline/sampling/choice/choose.ts";
import { createSharedQueues, createQueuesOfTenants } from "../pipeline/sampling/scheduling.ts";
import { createOperatorToken } from "../pipeline/people/operator-token.ts";
import { grantOfToken } from "../domain/tenancy/grant-ids.ts";
import { createSignInThrottle } from "../pipeline/people/sign-in-throttle.ts";
import { createPins } from "../domain/sampling/pins.ts";
import { createRecentAnswers } from "../providers/recent-answers.ts";
import { createReasoningRefusals } from "../pipeline/sampling/choice/reasoning-refusals.ts";
import { demoModels } from "../providers/demo.ts";
import { createLookupPacer } from "../pipeline/callers/lookup-pacer.ts";
import { createWitnessSender } from "../telemetry/witness.ts";
import { createProbeMemory } from "../store/engines/libsql/write-probe.ts";

const callersRemembered = 2_000;
/** About 100 bytes per credential and model. */
const refusalsRemembered = 2_000;
const recentAnswersRemembered = 2_000;
const pinsRemembered = 10_000;
/** A kB each. */
const lostRemembered = 5_000;
/** 200 bytes each. */
const signInsRemembered = 5_000;
/** Consent pages per network in ten minutes; each is a row until used or expired. */
const consentsOfAddress = 120;
/** OAuth and sign-in requests per network and minute, about 1 ms of CPU each. Hosted clients share a network. */
const publicRequestsOfAddress = 1_200;
/** Client registrations per network in ten minutes. */
const registrationsOfAddress = 30;
/** Events of failed sign-ins. */
const signInNotesPerMinute = 30;
/** ms for which server entries are cached for keyless callers. */
const entriesRememberedMs = 5_000;
/** Cached key URLs of identity providers. */
const issuersRemembered = 500;
const issuersRememberedMs = 300_000;
const withoutBounds = { slice: Infinity, run: Infinity, asking: Infinity };
const fewRounds = { slice: 5, run: 5, asking: 5 };
/** When provider measurements are read again. */
const snapshotLife = { usedMs: 60_000, manyUses: 32, longestMs: 300_000 };
/** Fetched in bulk: small requests cost as much as large ones. */
export const randomBytesOf = createRandomBytes((bytes) => crypto.getRandomValues(bytes));
export const now = (): number => Date.now();
/** ms, monotonic. */
const elapsed = createElapsed(() => Math.round(performance.now()));

/** Resolves early if the signal aborts. */
const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });

export const clock = { now, elapsed, wait };

export const after = (ms: number, act: () => void): (() => void) => {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
};

export const unreadableReport = ({ log }: Pick<Host, "log">, ids: Ids) => ({
  eventId: () => ids.next("event"),
  now,
  report: (found: UnreadableRecord) => log({ event: "record.unreadable", ...found }),
});

/** Tenants may have databases of their own. */
const databasesRemembered = 2_000;

/**
 * Values by name, usually of a database.
 * @param most least recently used values are dropped
 */
export function keptByName<T>(
  make: (name: string) => T,
  max = databasesRemembered,
): (name: string) => T {
  const made = createBoundedMap<string, T>(max);
  return (name) => {
    const value = made.get(name) ?? make(name);
    made.set(name, value);
    return value;
  };
}

/** Tenants' own databases share `home`'s. */
export const catalogueDatabaseOf = (database: string): string =>
  isTenantDatabase(database) ? homeDatabase : database;

/** Signer and codes of the audit. */
async function auditingOf(config: Config, { log }: Host) {
  const { masterKey: master, previousMasterKey: previous, rolloutMs } = config;
  return {
    rolloutMs,
    hashing,
    signer: await createSigner({ master, previous }),
    verify: verifySignature,
    mac: await createMac({ master, previous, purpose: recordCodesPurpose }),
    keyMac: await createMac({ master, previous, purpose: "audit-keys" }),
    idOfPublicKey,
    now,
    log,
  };
}

/** Settings, keys, and pure state. No I/O. */
export async function createIsolate(config: Config, host: Host) {
  const refusals = createReasoningRefusals(refusalsRemembered);
  const queuesOfTenant = createQueuesOfTenants();
  const masters = { master: config.masterKey, previous: config.previousMasterKey };
  const { drains } = host;
  const openOnes = createOpenExchanges({ limits: config.openLimits, elapsed, drains });
  const queues = keptByName((database: string) =>
    isTenantDatabase(database) && config.writesAtOnce === null
      ? queuesOfTenant()
      : createSharedQueues(writesAtOnceOf(config)),
  );
  const isOperator = (token: string): Promise<boolean> => sameText(token, config.adminToken);
  const marks = [config.masterKey, config.previousMasterKey].flatMap((master) =>
    master === null
      ? []
      : [createKeyedHash({ master, derivedFor: "sampling-router/api-key-mark/v1" })],
  );
  const tokens = createKeyTokens({ randomBytesOf, marks: await Promise.all(marks) });
  const signInThrottle = createSignInThrottle({
    capacity: signInsRemembered,
    notesPerMinute: signInNotesPerMinute,
    elapsed,
  });
  return {
    config,
    host,
    metering: createMetering({ config, host, queues, openExchanges: openOnes, now }),
    sha256: primitives.sha256,
    sha256Hex: primitives.sha256Hex,
    hashes: { sha256Hex: primitives.sha256Hex, userHash },
    isOperator,
    isOperatorToken: createOperatorToken({
      isOperator,
      isOther: (token) => tokens.keyIdOf(token) !== null || grantOfToken(token) !== null,
      throttle: signInThrottle,
    }),
    refusals,
    pins: createPins(pinsRemembered),
    recentAnswers: createRecentAnswers({ now, capacity: recentAnswersRemembered }),
    /** Per database, so that calls read only their own: see `catalogueDatabaseOf`. */
    choosing: keptByName(() => {
      const catalogue = holdCatalogue({
        seed: seedCatalogue,
        always: config.demoProvider ? demoModels : [],
        now,
      });
      return { catalogue, chooser: createChooser({ catalogue: catalogue.current, now, refusals }) };
    }),
    vaultKeys: await createVaultKeys(masters),
    roundKeys: await createVaultKeys({ ...masters, derivedFor: "sampling-router/round/v1" }),
    keyMac: await createMac({ ...masters, purpose: "api-key" }),
    rowMac: await createMac({ ...masters, purpose: "row" }),
    /** reported by this process */
    rejectedRows: new Set<string>(),
    auditing: await auditingOf(config, host),
    sendToSink: sinkOf(config.sink, { fetch: host.fetch, now }),
    sendToWitness:
      config.witnessUrl === null
        ? null
        : createWitnessSender({
            url: config.witnessUrl,
            fetch: (url, init) => host.fetch(url, { ...init, redirect: "manual" }),
          }),
    ...(await contentsOf(config, host, elapsed)),
    tokens,
    consoleTokens: createKeyTokens({ randomBytesOf, begins: "srs" }),
    consoleMac: await createMac({ ...masters, purpose: "console-session" }),
    signInThrottle,
    oauthLibrary: memoize(() =>
      loadLibrary({
        fetch: config.allowPrivateUpstreams ? host.fetch : (host.fetchPublic ?? host.fetch),
        fetchPublic: host.fetchPublic ?? host.fetch,
        allowPrivate: config.allowPrivateUpstreams,
        now,
      }),
    ),
    tokenMemory: createTokenMemory({ capacity: callersRemembered, elapsed }),
    authModes: createBriefMemory<AuthMode | null>({
      capacity: callersRemembered,
      lifetimeMs: entriesRememberedMs,
      elapsed,
    }),
    issuerKeys: createBriefMemory<string>({
      capacity: issuersRemembered,
      lifetimeMs: issuersRememberedMs,
      elapsed,
    }),

    publicRequests: createAddressRate({
      max: publicRequestsOfAddress,
      windowMs: 60_000,
      capacity: signInsRemembered,
      limit: "public.requests",
      elapsed,
    }),
    bodyAllowance: createBodyAllowance({ ...largeBodies, capacity: callersRemembered, elapsed }),
    registrations: createAddressRate({
      max: registrationsOfAddress,
      windowMs: 600_000,
      capacity: signInsRemembered,
      limit: "oauth.registrations",
      elapsed,
    }),
    consentOpenings: createAddressRate({
      max: consentsOfAddress,
      windowMs: 600_000,
      capacity: signInsRemembered,
      limit: "oauth.consents",
      elapsed,
    }),
    idsOf: keptByName((database) => createIds({ now, randomBytesOf, database })),
    memory: createCallerMemory({
      capacity: callersRemembered,
      life: snapshotLife,
      now: elapsed,
    }),
    openKey: createOpenedKeys(),
    cloudGrants: createGrantMemory(),
    listingTries: createListingTries(callersRemembered),
    openExchanges: openOnes,
    streamMemory: createStreamMemory(callersRemembered),
    listenerMemory: createListenerMemory(callersRemembered),
    /** null: each is in an object of its own */
    parkedCalls:
      host.forwardParked === undefined
        ? createParkedCalls({
            epoch: randomBytesOf(16).join("."),
            patienceMs: config.parkedMs,
            processes: config.database.kind === "own" ? "one" : "several",
            ...(host.drains !== undefined && { drains: host.drains }),
          })
        : null,
    retests: createRetests({ capacity: callersRemembered, elapsed }),
    queues,
    heldBack: { count: 0 },
    lookups: createLookupPacer(clock),
    webhookSlots: createDeliverySlots(),
    jobPace: { ...clock, maxRounds: host.isOneProcess ? withoutBounds : fewRounds },
    probes: keptByName(createProbeMemory),
    lostAdmissions: keptByName(() => createLostAdmissions({ capacity: lostRemembered, elapsed })),
  };
}

export type Isolate = Awaited<ReturnType<typeof createIsolate>>;
