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
import { err } from "./domain/result.ts";
import { homeShard, shardOf, shardOfState } from "./domain/shards.ts";
import type { Services } from "./http/context.ts";
import { createOauth } from "./oauth/client.ts";
import { createProbe } from "./oauth/probe.ts";
import { createAdminFor, createShardedReadiness } from "./pipeline/admin/sharded.ts";
import { createAdminUseCases } from "./pipeline/admin/use-cases.ts";
import { createAdmit } from "./pipeline/admit.ts";
import { createAttempt } from "./pipeline/attempt.ts";
import { createAuthenticate, createCallerMemory, memoryKeyOf } from "./pipeline/authenticate.ts";
import { createCancellation } from "./pipeline/cancel.ts";
import { createCatalogueReader, holdCatalogue } from "./pipeline/catalogue.ts";
import { createChooser } from "./pipeline/choose.ts";
import { createFinish, type Summary } from "./pipeline/finish.ts";
import { createIdempotency } from "./pipeline/idempotency.ts";
import { createObserve } from "./pipeline/observe.ts";
import { createRelease } from "./pipeline/release.ts";
import { createRoute } from "./pipeline/route.ts";
import { createSample } from "./pipeline/sample.ts";
import { createCatalogueJob } from "./pipeline/scheduled/catalogue.ts";
import { createJobs, createShardedJobs, type Jobs } from "./pipeline/scheduled/jobs.ts";
import { createSessions } from "./pipeline/sessions.ts";
import { createSettle } from "./pipeline/settle.ts";
import { createUpstreamHeaders } from "./pipeline/upstream-headers.ts";
import { demoModels } from "./providers/demo.ts";
import { createProviders } from "./providers/registry.ts";
import { openD1, openLibsql, type DatabaseOptions } from "./store/db.ts";
import { createReadiness } from "./store/migrations.ts";
import { createStores } from "./store/stores.ts";
import { createTraces } from "./telemetry/traces.ts";

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

/** One of each for every shard that is used, made when it first is. */
function perShard<T>(make: (shard: string) => T): (shard: string) => T {
  const made = new Map<string, T>();
  return (shard) => {
    const known = made.get(shard);
    if (known !== undefined) return known;
    const fresh = make(shard);
    made.set(shard, fresh);
    return fresh;
  };
}

/** What outlives one invocation: parsed settings, keys, pure state. No I/O. */
export async function createIsolate(config: Config) {
  return {
    config,
    /** home first */
    shardNames: [homeShard, ...config.shards.map(({ name }) => name)],
    /** Each shard has its own synced catalogue, so that a call never asks another one. */
    choosing: perShard(() => {
      const catalogue = holdCatalogue({
        seed: seedCatalogue,
        always: config.demoProvider ? demoModels : [],
      });
      return { catalogue, chooser: createChooser({ catalogue: catalogue.current, now }) };
    }),
    vault: await createVault({
      master: config.masterKey,
      previous: config.previousMasterKey,
      randomBytesOf,
    }),
    tokens: createKeyTokens({ randomBytesOf }),
    idsOf: perShard((shard) => createIds({ now, randomBytesOf, shard })),
    memory: createCallerMemory({ capacity: callersRemembered, lifetimeMs: rememberedMs, now }),
  };
}

export type Isolate = Awaited<ReturnType<typeof createIsolate>>;

function open({ database, shards }: Config, shard: string, options: DatabaseOptions) {
  const named = shards.find(({ name }) => name === shard);
  if (named === undefined && database.kind === "d1") return openD1(database.binding, options);
  const { url, authToken } = named ?? (database as Extract<typeof database, { kind: "libsql" }>);
  const client = createClient(authToken === null ? { url } : { url, authToken });
  return openLibsql(client, options);
}

/** What no single shard can do. */
type Everywhere = "adminFor" | "readiness" | "finishAuthorization";

interface About {
  /** keeps work alive after the response */
  background: (work: Promise<unknown>) => void;
  onRoundTrip?: () => void;
}

/** Everything over the database of one shard. */
function createShard(isolate: Isolate, name: string, about: About) {
  const { config, vault, tokens, memory } = isolate;
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
  const upstream = createUpstreamHeaders({ ...stores, vault, oauth, ids, nonce, now, wait });
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
        forget: ({ snapshot, session }) =>
          memory.delete(memoryKeyOf(snapshot.key.id, session?.id ?? null)),
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
      providers,
      catalogue: readCatalogue,
      allowPrivateUpstreams,
      oauth,
      upstream,
      probe: createProbe({ fetch: (...args) => fetch(...args) }),
      nonce,
      sha256Hex: async (text) => toHex(await sha256(text)),
    }),
    readiness: createReadiness(
      db,
      journal.entries.map(({ tag }) => `${tag}.sql`),
    ),
    jobs: createJobs({ ...stores, vault, syncCatalogue, now }),
  };
}

/** What serves one invocation: the database of the caller's shard is the only one that is opened for it. */
export function createInvocation(
  isolate: Isolate,
  about: About,
): { servicesFor: (token: string | null) => Services; jobs: Jobs } {
  const { shardNames: names, tokens } = isolate;
  const made = perShard((name) => createShard(isolate, name, about));
  const shards = {
    names,
    get home() {
      return made(homeShard);
    },
    of: (name: string) => (names.includes(name) ? made(name) : null),
  };
  const everywhere: Pick<Services, Everywhere> = {
    adminFor: (actor, slug) =>
      createAdminFor({ shards, placements: shards.home.placements })(actor, slug),
    readiness: createShardedReadiness(shards),
    finishAuthorization(query) {
      const shard = shards.of(shardOfState(query.get("state") ?? "")) ?? shards.home;
      return shard.admin.authorizations.finish(query.toString());
    },
  };
  return {
    servicesFor(token) {
      const keyId = names.length === 1 || token === null ? null : tokens.keyIdOf(token);
      const shard = shards.of(keyId === null ? homeShard : shardOf(keyId));
      if (shard !== null) return { ...shard.services, ...everywhere };
      return {
        ...shards.home.services,
        ...everywhere,
        authenticate: async () => err({ reason: "unauthorized", detail: "Unknown API key." }),
      };
    },
    jobs: () => createShardedJobs(names.map((name) => ({ name, run: made(name).jobs })))(),
  };
}
