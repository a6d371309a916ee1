/** The composition, second part: everything over the database of one shard, for one invocation. */
import { createClient } from "@libsql/client/web";
import journal from "../migrations/meta/_journal.json" with { type: "json" };
import { hashing } from "./crypto/chain.ts";
import { createCatalogueSource } from "./catalogue/source.ts";
import { versionOf } from "./catalogue/version.ts";
import type { Config } from "./config.ts";
import { toBase64Url, toHex, sameText, sha256 } from "./crypto/encoding.ts";
import { seedCatalogue } from "./domain/catalogue.ts";
import type { Services } from "./http/context.ts";
import { createOauth } from "./oauth/client.ts";
import { createProbe } from "./oauth/probe.ts";
import { createAdminUseCases } from "./pipeline/admin/use-cases.ts";
import { createAdmit } from "./pipeline/admit.ts";
import { createAttempt } from "./pipeline/attempt.ts";
import { createAuthenticate } from "./pipeline/authenticate.ts";
import { createAnswerOnce } from "./pipeline/answer-once.ts";
import { createDeliver } from "./pipeline/deliver.ts";
import { createIntercept } from "./pipeline/intercept.ts";
import { createRoundStates } from "./pipeline/round-state.ts";
import { createRounds } from "./pipeline/rounds.ts";
import { createStreams } from "./pipeline/streams.ts";
import { roundWire } from "./mcp/rev2026/round.ts";
import { createCancellation } from "./pipeline/cancel.ts";
import { createCatalogueReader } from "./pipeline/catalogue.ts";
import { createFinish, type Summary } from "./pipeline/finish.ts";
import { createIdempotency } from "./pipeline/idempotency.ts";
import { createObserve } from "./pipeline/observe.ts";
import { createRelease } from "./pipeline/release.ts";
import { createRoute } from "./pipeline/route.ts";
import { createSample } from "./pipeline/sample.ts";
import { createCatalogueJob } from "./pipeline/scheduled/catalogue.ts";
import { createJobs } from "./pipeline/scheduled/jobs.ts";
import { createSessions } from "./pipeline/sessions.ts";
import { createSettle } from "./pipeline/settle.ts";
import { createUpstream } from "./pipeline/upstream.ts";
import { createUpstreamHeaders } from "./pipeline/upstream-headers.ts";
import { createProviders } from "./providers/registry.ts";
import { openD1, openLibsql, type DatabaseOptions } from "./store/db.ts";
import { createReadiness } from "./store/migrations.ts";
import { createStores } from "./store/stores.ts";
import { createTraces } from "./telemetry/traces.ts";
import { log, now, randomBytesOf, wait, type Isolate } from "./isolate.ts";

function open({ database, shards }: Config, shard: string, options: DatabaseOptions) {
  const named = shards.find(({ name }) => name === shard);
  if (named === undefined && database.kind === "d1") return openD1(database.binding, options);
  const { url, authToken } = named ?? (database as Extract<typeof database, { kind: "libsql" }>);
  const client = createClient(authToken === null ? { url } : { url, authToken });
  return openLibsql(client, options);
}

/** What no single shard can do. */
export type Everywhere = "adminFor" | "readiness" | "finishAuthorization" | "auditKeys";

export interface About {
  /** keeps work alive after the response */
  background: (work: Promise<unknown>) => void;
  onRoundTrip?: () => void;
}

/** Everything over the database of one shard. */
export function createShard(isolate: Isolate, name: string, about: About) {
  const { config, vault, roundVault, signer, tokens, memory, streamMemory } = isolate;
  const { catalogue, chooser } = isolate.choosing(name);
  const ids = isolate.idsOf(name);
  const { sessionTtlMs, allowPrivateUpstreams, catalogueUrl } = config;
  const { background, onRoundTrip } = about;
  const db = open(config, name, onRoundTrip === undefined ? {} : { onRoundTrip });
  const stores = createStores(db, { nonce: () => crypto.randomUUID() });
  const { ledger } = stores;
  const readCatalogue = createCatalogueReader({ held: catalogue, catalogues: stores.catalogues });
  // Nothing waits for it: what is chosen meanwhile is chosen from the catalogue at hand, and says so.
  if (catalogue.takesTurn(now())) background(readCatalogue());
  const providers = createProviders({
    // A redirect could carry a key, or the prompt, to another host.
    fetch: (input, init) => fetch(input, { ...init, redirect: "manual" }),
    ai: config.ai ?? undefined,
    demo: config.demoProvider,
    now,
  });
  const oauth = createOauth({
    fetch: (...args) => fetch(...args),
    allowPrivate: allowPrivateUpstreams,
    now,
  });
  const nonce = (): string => toBase64Url(randomBytesOf(32));
  const upstreamHeaders = createUpstreamHeaders({ ...stores, vault, oauth, ids, nonce, now, wait });
  const upstream = createUpstream({
    fetch: ({ url, ...request }) => fetch(url, { ...request, redirect: "manual" }),
    credentials: upstreamHeaders,
    wait,
  });
  const cancellation = createCancellation({ cancellations: stores.cancellations, now, wait });
  const idempotency = createIdempotency<Summary>({
    idempotency: stores.idempotency,
    vault,
    now,
    wait,
  });
  const traces = createTraces({
    target: config.traceTarget,
    fetch: (...args) => fetch(...args),
    randomBytesOf,
    background,
    wait,
    log,
  });
  const catalogueSync =
    catalogueUrl === null
      ? null
      : {
          catalogues: stores.catalogues,
          source: createCatalogueSource({ url: catalogueUrl, fetch: (...args) => fetch(...args) }),
          seed: seedCatalogue,
          versionOf,
          now,
        };
  const services: Omit<Services, Everywhere> = {
    authenticate: createAuthenticate({ snapshots: stores.snapshots, tokens, memory, now }),
    sample: createSample({
      chooser,
      admit: createAdmit({ ledger, sessionTtlMs }),
      finish: createFinish({
        attempt: createAttempt({ providers, vault, now, wait, chance: () => Math.random() }),
        settle: createSettle({ ledger, vault, ids, now, wait }),
        cancellation,
        idempotency,
        now,
        forget: ({ memoryKey }) => memory.delete(memoryKey),
      }),
      idempotency,
      observe: createObserve({ traces, providers, now, log }),
      release: createRelease({ ledger, now, wait }),
      ledger,
      ids,
      now,
      background,
    }),
    cancellation,
    background,
    intercept: createIntercept({ intercepted: stores.intercepted, vault, now, wait }),
    servers: stores.servers,
    upstream,
    deliver: createDeliver({ upstream, wait }),
    note: log,
    wait,
    streams: createStreams({ sessions: stores.sessions, memory: streamMemory, now, wait }),
    rounds: createRounds({
      wire: roundWire,
      states: createRoundStates({ vault: roundVault, nonce, now }),
      once: createAnswerOnce({ answers: stores.answers, vault: roundVault, nonce, now, wait }),
      sha256Hex: async (text) => toHex(await sha256(text)),
      nonce,
      wait,
    }),
    route: createRoute({ chooser }),
    sessions: createSessions({ sessions: stores.sessions, chooser, ids, now, sessionTtlMs }),
    ids,
    now,
    sha256Hex: async (bytes) => toHex(await sha256(bytes)),
    isOperator: (token) => sameText(token, config.adminToken),
    allowedOrigins: config.allowedOrigins,
    report: (requestId, thrown) =>
      log({
        event: "internal",
        requestId,
        fault: thrown instanceof Error ? thrown.name : typeof thrown,
      }),
  };
  const syncCatalogue =
    catalogueSync === null
      ? null
      : createCatalogueJob({
          ...catalogueSync,
          report: (fault) => log({ event: "catalogue", fault }),
        });
  return {
    name,
    ids,
    placements: stores.placements,
    services,
    admin: createAdminUseCases({
      ...stores,
      ids,
      now,
      tokens,
      vault,
      hashing,
      signer,
      providers,
      catalogue: readCatalogue,
      catalogueSync,
      allowPrivateUpstreams,
      oauth,
      upstream: upstreamHeaders,
      probe: createProbe({ fetch: (...args) => fetch(...args) }),
      nonce,
      sha256Hex: async (text) => toHex(await sha256(text)),
    }),
    readiness: createReadiness(
      db,
      journal.entries.map(({ tag }) => `${tag}.sql`),
    ),
    jobs: createJobs({ ...stores, vault, hashing, signer, syncCatalogue, now }),
  };
}
