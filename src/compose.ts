/**
 * The composition root: the only file that sees every floor. What may live as long as the isolate
 * lives in `createIsolate`; whatever touches the network belongs to one invocation, since the
 * runtime forbids one invocation to use another's I/O.
 */
import { createClient } from "@libsql/client/web";
import journal from "../migrations/meta/_journal.json" with { type: "json" };
import { createCatalogueSource } from "./catalogue/source.ts";
import { versionOf } from "./catalogue/version.ts";
import type { Config } from "./config.ts";
import { toBase64Url, toHex, sameText, sha256 } from "./crypto/encoding.ts";
import { createKeyTokens } from "./crypto/tokens.ts";
import { createVault } from "./crypto/vault.ts";
import { seedCatalogue } from "./domain/catalogue.ts";
import { createIds } from "./domain/ids.ts";
import type { Services } from "./http/context.ts";
import { roundWire } from "./mcp/rev2026/round.ts";
import { createOauth } from "./oauth/client.ts";
import { createProbe } from "./oauth/probe.ts";
import { createAdminUseCases } from "./pipeline/admin/use-cases.ts";
import { createAdmit } from "./pipeline/admit.ts";
import { createAnswerOnce } from "./pipeline/answer-once.ts";
import { createAttempt } from "./pipeline/attempt.ts";
import { createAuthenticate, createCallerMemory } from "./pipeline/authenticate.ts";
import { createCancellation } from "./pipeline/cancel.ts";
import { createCatalogueReader, holdCatalogue } from "./pipeline/catalogue.ts";
import { createChooser } from "./pipeline/choose.ts";
import { createDeliver } from "./pipeline/deliver.ts";
import { createIntercept } from "./pipeline/intercept.ts";
import { createRoute } from "./pipeline/route.ts";
import { createRoundStates } from "./pipeline/round-state.ts";
import { createRounds } from "./pipeline/rounds.ts";
import { createSample } from "./pipeline/sample.ts";
import { createCatalogueJob } from "./pipeline/scheduled/catalogue.ts";
import { createJobs, type Jobs } from "./pipeline/scheduled/jobs.ts";
import { createSessions } from "./pipeline/sessions.ts";
import { createSettle } from "./pipeline/settle.ts";
import { createStreamMemory, createStreams } from "./pipeline/streams.ts";
import { createUpstream } from "./pipeline/upstream.ts";
import { createUpstreamHeaders } from "./pipeline/upstream-headers.ts";
import { demoModels } from "./providers/demo.ts";
import { createProviders } from "./providers/registry.ts";
import { openD1, openLibsql, type DatabaseOptions } from "./store/db.ts";
import { createReadiness } from "./store/migrations.ts";
import { createStores } from "./store/stores.ts";

const callersRemembered = 2_000;
/** What was measured of a provider counts within a minute at every isolate. */
const rememberedMs = 60_000;
const randomBytesOf = (count: number): Uint8Array<ArrayBuffer> =>
  crypto.getRandomValues(new Uint8Array(count));
const now = (): number => Date.now();

/** Resolves after `ms`, or as soon as the signal aborts. */
const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });

/** One JSON line, to the platform's log. Ids, reasons and counts; never content. */
export const log = (entry: Record<string, unknown>): void => console.info(JSON.stringify(entry));

/** What outlives one invocation: parsed settings, keys, pure state. No I/O. */
export async function createIsolate(config: Config) {
  const catalogue = holdCatalogue({
    seed: seedCatalogue,
    always: config.demoProvider ? demoModels : [],
  });
  return {
    config,
    catalogue,
    vault: await createVault({
      master: config.masterKey,
      previous: config.previousMasterKey,
      randomBytesOf,
    }),
    roundVault: await createVault({
      master: config.masterKey,
      previous: config.previousMasterKey,
      randomBytesOf,
      derivedFor: "sampling-router/round/v1",
    }),
    tokens: createKeyTokens({ randomBytesOf }),
    ids: createIds({ now, randomBytesOf }),
    memory: createCallerMemory({ capacity: callersRemembered, lifetimeMs: rememberedMs, now }),
    streamMemory: createStreamMemory(callersRemembered),
    chooser: createChooser({ catalogue: catalogue.current, now }),
  };
}

export type Isolate = Awaited<ReturnType<typeof createIsolate>>;

function open({ database }: Config, options: DatabaseOptions) {
  if (database.kind === "d1") return openD1(database.binding, options);
  const { url, authToken } = database;
  const client = createClient(authToken === null ? { url } : { url, authToken });
  return openLibsql(client, options);
}

/** What serves one invocation. `background` keeps work alive after the response. */
export function createInvocation(
  isolate: Isolate,
  about: { background: (work: Promise<unknown>) => void; onRoundTrip?: () => void },
): { services: Services; jobs: Jobs } {
  const { config, catalogue, vault, roundVault, tokens, ids, memory, streamMemory, chooser } =
    isolate;
  const { sessionTtlMs, allowPrivateUpstreams, catalogueUrl } = config;
  const { background, onRoundTrip } = about;
  const db = open(config, onRoundTrip === undefined ? {} : { onRoundTrip });
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
  const cancellation = createCancellation({ cancellations: stores.cancellations, now, wait });
  const upstream = createUpstream({
    fetch: ({ url, ...request }) => fetch(url, { ...request, redirect: "manual" }),
    credentials: upstreamHeaders,
    wait,
  });
  const services: Services = {
    authenticate: createAuthenticate({ snapshots: stores.snapshots, tokens, memory, now }),
    sample: createSample({
      chooser,
      admit: createAdmit({ ledger, sessionTtlMs }),
      attempt: createAttempt({ providers, vault, now, wait, chance: () => Math.random() }),
      settle: createSettle({ ledger, vault, ids, now, wait }),
      cancellation,
      ledger,
      ids,
      now,
      forget: ({ memoryKey }) => memory.delete(memoryKey),
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
    }),
    route: createRoute({ chooser }),
    sessions: createSessions({ sessions: stores.sessions, chooser, ids, now, sessionTtlMs }),
    admin: createAdminUseCases({
      ...stores,
      ids,
      now,
      tokens,
      vault,
      providers,
      catalogue: readCatalogue,
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
    catalogueUrl === null
      ? null
      : createCatalogueJob({
          catalogues: stores.catalogues,
          source: createCatalogueSource({ url: catalogueUrl, fetch: (...args) => fetch(...args) }),
          seed: seedCatalogue,
          versionOf,
          now,
          report: (fault) => log({ event: "catalogue", fault }),
        });
  return { services, jobs: createJobs({ ...stores, vault, syncCatalogue, now }) };
}
