import journal from "../../../migrations/meta/_journal.json" with { type: "json" };
import { toBase64Url } from "../../crypto/encoding.ts";
import { sameText } from "../../crypto/same-text.ts";
import { lazily, memoize } from "../../domain/lazily.ts";
import { knownUrl } from "../../domain/servers/own-origin.ts";
import type { Residency } from "../../domain/tenancy/residency.ts";
import type { Services } from "../../http/context.ts";
import type { Oauth } from "../../domain/servers/oauth.ts";
import type { Providers } from "../../domain/sampling/providers.ts";
import { createOauth } from "../../oauth/client.ts";
import { createProbe } from "../../mcp/probe.ts";
import { createAdminUseCases } from "../../pipeline/admin/use-cases.ts";
import {
  createAuthenticate,
  refuseUnknown,
  type Authenticate,
} from "../../pipeline/callers/authenticate.ts";
import { createDeliver } from "../../proxy/legacy/post-answer.ts";
import { createRoundStates } from "../../proxy/modern/round-state.ts";
import { createListeners } from "../../proxy/bridge/listeners.ts";
import { createQuestions } from "../../proxy/bridge/questions.ts";
import { createRounds } from "../../proxy/modern/rounds.ts";
import { createStreams } from "../../proxy/legacy/streams.ts";
import { roundWire } from "../../mcp/rev2026/round.ts";
import { createCancellation, type Cancellation } from "../../pipeline/sampling/request/cancel.ts";
import type { Summary } from "../../pipeline/sampling/settlement/summary.ts";
import {
  createIdempotency,
  type Idempotency,
} from "../../pipeline/sampling/request/idempotency.ts";
import { createRequestFeeds } from "../../pipeline/request-feeds.ts";
import { createCountTokens } from "../../pipeline/sampling/choice/count-tokens.ts";
import { createServedModels } from "../../pipeline/sampling/choice/served-models.ts";
import { approvalFor } from "../../pipeline/approvals/hold-request.ts";
import { createRoute } from "../../pipeline/sampling/route.ts";
import { createJobs } from "../../pipeline/scheduled/jobs.ts";
import { createSinkJob } from "../../pipeline/sink/send.ts";
import { createSessions } from "../../pipeline/sampling/sessions.ts";
import type { ProviderKeys } from "../../pipeline/provider-keys.ts";
import { createUpstream, type Upstream } from "../../pipeline/servers/upstream.ts";
import {
  createUpstreamHeaders,
  type UpstreamHeaders,
} from "../../pipeline/servers/upstream-headers.ts";
import { createIdentityClient } from "../../oauth/identity.ts";
import { createProviders } from "../../providers/registry.ts";
import { createReadiness } from "../../store/migrations.ts";
import { createWriteProbe } from "../../store/engines/libsql/write-probe.ts";
import { createDatabaseApprovals, type DatabaseApprovals } from "./approvals.ts";
import { servicesOf, type DatabaseServices } from "./services.ts";
import { openStores } from "../open-database.ts";
import { createDatabaseCatalogue } from "./catalogue.ts";
import { createDatabaseConsole, createDatabaseSignIn } from "./console.ts";
import { createDatabaseKeys } from "./provider-keys.ts";
import { createDatabaseParking } from "./parking.ts";
import { createDatabasePeople } from "./people.ts";
import { createDatabaseDelivery } from "./delivery.ts";
import { createDatabaseSample } from "./sample.ts";
import { createDatabaseScheduling } from "./scheduling.ts";
import { createDatabaseSeals } from "./seals.ts";
import { after, catalogueDatabaseOf, clock, randomBytesOf, type Isolate } from "../isolate.ts";
import type { Everywhere } from "../everywhere.ts";
import type { Lifetime } from "../lifetime.ts";

const { now, elapsed, wait } = clock;
const nameOfThrown = (it: unknown): string => (it instanceof Error ? it.name : typeof it);

interface Parts {
  providers: Providers;
  providerKeys: ProviderKeys;
  oauth: Oauth;
  upstreamHeaders: UpstreamHeaders;
  upstream: Upstream;
  cancellation: Cancellation;
  idempotency: Idempotency<Summary>;
  approvals: DatabaseApprovals;
}

/** Everything over one database, created lazily: an invocation on Workers uses few parts. */
export function createDatabaseParts(
  isolate: Isolate,
  lifetime: Lifetime & { name: string; everywhere: Everywhere; residency?: Residency },
) {
  const { config, host, tokens, memory, streamMemory, sendToWitness, sendToSink } = isolate;
  const { fetch, log } = host;
  const { background, upkeep, onRoundTrip, name, everywhere } = lifetime;
  const { catalogue, chooser } = isolate.choosing(catalogueDatabaseOf(name));
  const ids = isolate.idsOf(name);
  const { sessionTtlMs, allowPrivateUpstreams } = config;
  const ownOrigins = config.publicOrigins.concat(lifetime.origin ?? []);
  const { writeQueue, callScheduler } = createDatabaseScheduling(isolate, name);
  const { db, stores, rejected } = openStores(isolate, {
    name,
    ids,
    writeQueue,
    residency: lifetime.residency ?? null,
    ...(onRoundTrip !== undefined && { onRoundTrip }),
  });
  const seals = createDatabaseSeals(isolate, { name, stores, ids, everywhere, rejected });
  const { vault, roundVault, keyCodes } = seals;
  const consoleParts = { ids, stores, vault, keyCodes, rejected };
  const nonce = (): string => toBase64Url(randomBytesOf(32));
  const catalogues = createDatabaseCatalogue(isolate, { name, stores, everywhere });
  const parts: Parts = lazily<Parts>({
    providers: () =>
      createProviders({
        // A redirect could leak a key or prompt.
        fetch: (input, init) => (host.fetchShort ?? fetch)(input, { ...init, redirect: "manual" }),
        workersAi: host.workersAi,
        demo: config.demoProvider,
        prefixes: isolate.prefixes,
        now,
        refusals: isolate.refusals,
        recentAnswers: isolate.recentAnswers,
        pins: isolate.pins,
        after,
      }),
    providerKeys: () => createDatabaseKeys(isolate, { stores, vault, nonce }),
    oauth: () => createOauth({ fetch, allowPrivate: allowPrivateUpstreams, now }),
    upstreamHeaders: () =>
      createUpstreamHeaders({
        stores,
        ownUrl: knownUrl(lifetime.origin, config),
        vault,
        oauth: parts.oauth,
        ids,
        nonce,
        ...clock,
      }),
    upstream: () =>
      createUpstream({
        fetch:
          host.fetchServer ??
          (({ url, ...request }) => fetch(url, { ...request, redirect: "manual" })),
        credentials: parts.upstreamHeaders,
        after,
        allowPrivate: allowPrivateUpstreams,
        ownOrigins,
      }),
    cancellation: () => createCancellation({ cancellations: stores.cancellations, now, wait }),
    idempotency: () =>
      createIdempotency<Summary>({ idempotency: stores.idempotency, vault, now, wait }),
    approvals: () =>
      createDatabaseApprovals({ isolate, lifetime, stores, vault, ids, chooser, parts }),
  });
  const known = memoize(() =>
    createAuthenticate({
      snapshots: stores.snapshots,
      tokens,
      accessTokens: everywhere.authorization.accessTokens,
      keyCodes,
      memory,
      lookups: isolate.lookups,
      now,
    }),
  );
  const sampling = { ...lifetime, ids, stores, vault, callScheduler, parts };
  const { sha256Hex } = isolate;
  const states = () => createRoundStates({ vault: roundVault, nonce, now });
  const countTokens = () =>
    createCountTokens({ chooser, providers: parts.providers, providerKeys: parts.providerKeys });
  const servicesWith = (authenticate: () => Authenticate): Services =>
    servicesOf(
      lazily<DatabaseServices>({
        authenticate,
        sample: () => createDatabaseSample(isolate, sampling),
        cancellation: () => parts.cancellation,
        background: () => background,
        idempotency: () => stores.idempotency,
        servers: () => stores.servers,
        callerMemory: () => memory,
        upstream: () => parts.upstream,
        deliver: () => createDeliver({ upstream: parts.upstream, wait }),
        note: () => log,
        wait: () => wait,
        callScheduler: () => callScheduler,
        bodyAllowance: () => isolate.bodyAllowance,
        openExchanges: () => isolate.openExchanges,
        retests: () => isolate.retests,
        listeners: () => createListeners({ memory: isolate.listenerMemory, ...clock }),
        streams: () => createStreams({ sessions: stores.sessions, memory: streamMemory, ...clock }),
        rounds: () => createRounds({ wire: roundWire, states: states(), sha256Hex, nonce, wait }),
        parking: () => createDatabaseParking(isolate, lifetime),
        states,
        questions: () => createQuestions({ questions: stores.questions, vault: roundVault, now }),
        route: () => createRoute({ chooser, approvalFor, now }),
        servedModels: () => createServedModels({ chooser }),
        pins: () => isolate.pins,
        countTokens,
        sessions: () =>
          createSessions({ sessions: stores.sessions, chooser, memory, ids, now, sessionTtlMs }),
        ids: () => ids,
        now: () => now,
        elapsed: () => elapsed,
        sha256Hex: () => isolate.sha256Hex,
        consoleSessions: () =>
          createDatabaseConsole(isolate, { ...consoleParts, authenticate: authenticate() }),
        personSignInOf: () => everywhere.personSignInOf,
        isSame: () => sameText,
        isOperator: () => isolate.isOperatorToken,
        shownMetrics: () => isolate.metering?.shown ?? null,
        allowedOrigins: () => config.allowedOrigins,
        publicOrigins: () => config.publicOrigins,
        publicUrls: () => config.publicUrls,
        report: () => (requestId, thrown) =>
          log({ event: "internal", requestId, fault: nameOfThrown(thrown) }),
        adminFor: () => everywhere.adminFor,
        readiness: () => everywhere.readiness,
        auditKeys: () => everywhere.auditKeys,
        challenges: () => everywhere.authorization.challenges,
        authorizationServer: () => () => everywhere.authorization.authorizationServer,
        consents: () => () => everywhere.authorization.consents,
        publicRequests: () => isolate.publicRequests,
        registrations: () => isolate.registrations,
        consentOpenings: () => isolate.consentOpenings,
        connections: () => everywhere.authorization.connections,
        people: () => everywhere.authorization.people,
        finishAuthorization: () => everywhere.finishAuthorization,
        consoleFiles: () => host.consoleFiles ?? { read: async () => null },
      }),
    );
  const roomNow = host.roomOf?.(name) ?? null;
  const admin = memoize(() =>
    createAdminUseCases({
      ...stores,
      providers: parts.providers,
      providerKeys: parts.providerKeys,
      oauth: parts.oauth,
      identity: createIdentityClient({ fetch, allowPrivate: allowPrivateUpstreams, now }),
      catalogueSync: catalogues.sync(),
      ...isolate.auditing,
      ids,
      tokens,
      roomNow,
      requestFeeds: host.feedsOf?.(name) ?? createRequestFeeds({ ...stores, now, wait }),
      keyCodes,
      rejected,
      vault,
      catalogue: catalogues.read,
      allowPrivateUpstreams,
      ownOrigins,
      publicUrl: config.publicUrls[0] ?? null,
      upstream: parts.upstreamHeaders,
      grants: () => everywhere.authorization.authorizationServer,
      probe: createProbe({ fetch, allowPrivate: allowPrivateUpstreams, ownOrigins }),
      ...parts.approvals,
      wait,
      nonce,
      ...isolate.hashes,
      isSame: sameText,
    }),
  );
  const deliver = createDatabaseDelivery({ name, stores, everywhere });
  const readiness = memoize(() =>
    createReadiness(
      db,
      journal.entries.map(({ tag }) => `${tag}.sql`),
      createWriteProbe({ db, memory: isolate.probes(name), now, elapsed }),
    ),
  );
  return {
    name,
    ids,
    /** Off the path of calls, which use the current catalogue meanwhile. */
    lookForCatalogue() {
      if (catalogue.isDue(elapsed())) upkeep(catalogues.read());
    },
    services: servicesWith(known),
    signIn: () => createDatabaseSignIn(isolate, consoleParts),
    consenting: memoize(() => createDatabasePeople(isolate, consoleParts)),
    servicesOfUnknown: () => servicesWith(() => refuseUnknown),
    /** of `home`, for the others */
    stores,
    keyCodes,
    isResealed: seals.isResealed,
    deliver,
    get admin() {
      return admin();
    },
    get readiness() {
      return readiness();
    },
    jobs: () =>
      createJobs({
        ...stores,
        ...isolate.auditing,
        ids,
        ...parts.approvals,
        publicUrl: config.publicUrls[0] ?? null,
        ...seals,
        sendToWitness,
        sinkJob: createSinkJob({ ...stores, ...isolate.auditing, ids, sendToSink }),
        roomNow,
        syncCatalogue: catalogues.job(),
        deliver,
        ...isolate.jobPace,
      })(),
  };
}
export type DatabaseParts = ReturnType<typeof createDatabaseParts>;
