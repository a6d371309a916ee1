/** The Worker's entry point: fetch, scheduled, and the Durable Object. */
import type {
  Ai,
  DurableObjectNamespace,
  DurableObjectState,
  ExportedHandler,
} from "@cloudflare/workers-types";
import { DurableObject, waitUntil } from "cloudflare:workers";
import { migrations } from "./bundled-migrations.ts";
import { createCompositions } from "./compose/by-origin.ts";
import { createComposition, type Composition } from "./compose/composition.ts";
import { parseConfig, tenantDatabaseBytesOf, type Bindings } from "./config.ts";
import { defaultLimitBytes, type Room } from "./domain/limits/room.ts";
import type { AsyncResult } from "./domain/refusals.ts";
import { homeDatabase } from "./domain/tenancy/database-names.ts";
import { printableJson } from "./domain/printable.ts";
import { createApp } from "./http/app.ts";
import { answerDirectly, directPlace } from "./http/direct.ts";
import { responseOf, type ClientAnswer } from "./domain/ports/client-answer.ts";
import type { ConsoleFiles } from "./domain/ports/console-files.ts";
import type { Host } from "./compose/host.ts";
import { clock, createIsolate, type Isolate } from "./compose/isolate.ts";
import { createForwardParked } from "./compose/database/forward-parked.ts";
import { createParkedObject } from "./compose/parked-object.ts";
import { createTenantObject, type TenantObject } from "./compose/tenant-object.ts";
import { createWorkersAi } from "./providers/workers-ai.ts";
import { ledgerTexts } from "./store/engines/memory-ledger/texts.ts";
import type { Statement } from "./store/engines/contract/sql.ts";
import {
  feedsOfObject,
  openObject,
  refusesResidency,
  roomOfObject,
} from "./store/engines/durable/open-object.ts";
import type { Job, Outcome } from "./store/engines/contract/engine.ts";

interface Assets {
  fetch(url: string): Promise<Response>;
}
type WorkerBindings = Bindings & {
  DATABASES?: DurableObjectNamespace;
  PARKED_CALLS: DurableObjectNamespace;
  AI?: Ai;
  ASSETS?: Assets;
};

const consoleFilesIn = (assets: Assets): ConsoleFiles => ({
  async read(name) {
    // The binding ignores the host.
    const found = await assets.fetch(`http://assets/console/assets/${encodeURIComponent(name)}`);
    return found.ok ? new Uint8Array(await found.arrayBuffer()) : null;
  },
});

const log = (entry: Record<string, unknown>): void => console.info(printableJson(entry));

const hostOf = ({ DATABASES, PARKED_CALLS, AI, ASSETS }: WorkerBindings): Host => {
  // Only used without a database URL, when `parseConfig` requires the binding.
  const namespace = DATABASES as DurableObjectNamespace;
  return {
    log,
    // The runtime's `fetch` must not be called as a method.
    fetch: (...args) => fetch(...args),
    openOwnDatabase: (options) =>
      openObject({ namespace, wait: clock.wait }, homeDatabase, options),
    ...(DATABASES !== undefined && {
      openTenantDatabase: (name, options) =>
        openObject({ namespace, wait: clock.wait }, name, options),
      roomOf: (name) => roomOfObject({ namespace, wait: clock.wait }, name),
      feedsOf: (name) => feedsOfObject({ namespace, wait: clock.wait }, name),
      refusesResidency: (residency) => refusesResidency({ namespace }, residency),
    }),
    forwardParked: createForwardParked(PARKED_CALLS),
    consoleFiles: ASSETS === undefined ? undefined : consoleFilesIn(ASSETS),
    workersAi: AI === undefined ? undefined : createWorkersAi(AI),
  };
};

const app = createApp();

/** Shared by all invocations of an isolate. */
interface Shared {
  isolate: Isolate;
  /** for sampling and proxied messages; `null` if each invocation needs its own */
  compositionAt: ((url: string) => Composition) | null;
}
let shared: Shared | undefined;

/**
 * Invocations must not share I/O. With Durable Objects, a composition holds no I/O, because each access creates a
 * new stub. With libSQL, it holds a client's connections.
 */
const compositionsOf = (isolate: Isolate): Shared["compositionAt"] =>
  isolate.config.database.kind === "own"
    ? createCompositions(
        (origin) =>
          createComposition(isolate, { background: waitUntil, upkeep: waitUntil, origin }),
        isolate.config.publicOrigins,
      )
    : null;

/** Caches the value, not its promise: if the invocation that created it were canceled, all others would wait. */
async function sharedFor(env: WorkerBindings): Promise<Shared | string> {
  if (shared !== undefined) return shared;
  const config = parseConfig(env);
  if (!config.ok) return `${config.error.setting} ${config.error.problem}`;
  const isolate = await createIsolate(config.value, hostOf(env));
  shared = { isolate, compositionAt: compositionsOf(isolate) };
  return shared;
}

const newComposition = (isolate: Isolate, request?: Request): Composition =>
  createComposition(isolate, {
    background: waitUntil,
    upkeep: waitUntil,
    ...(request === undefined ? {} : { origin: new URL(request.url).origin }),
  });

/** Answers non-browser sampling and proxied messages without the app. `null` for other requests. */
function answeredDirectly(
  { isolate, compositionAt }: Shared,
  request: Request,
): Promise<ClientAnswer> | null {
  if (request.method !== "POST" || request.headers.has("Origin")) return null;
  const { url } = request;
  const { pathname, search } = new URL(url);
  const path = pathname + search;
  const place = directPlace(path);
  if (place === null) return null;
  const { servicesFor } = compositionAt?.(url) ?? newComposition(isolate, request);
  return answerDirectly({ servicesFor }, { request, path, place });
}

/** The Durable Object of `home` and of each tenant's database. The runtime requires a class. */
export class TenantDatabase extends DurableObject<WorkerBindings> {
  readonly #object: TenantObject;

  constructor(ctx: DurableObjectState, env: WorkerBindings) {
    super(ctx, env);
    const { DATABASES } = env;
    const isHome = DATABASES?.idFromName(homeDatabase).equals(ctx.id) === true;
    const databaseKind = isHome ? "home" : "a tenant";
    const configured = tenantDatabaseBytesOf(env);
    // `sharedFor` reports an invalid setting.
    const limitBytes = configured.ok ? configured.value : defaultLimitBytes;
    this.#object = createTenantObject({
      ctx,
      texts: ledgerTexts,
      migrations,
      databaseKind,
      limitBytes,
    });
  }

  write(job: Job): Promise<Outcome> {
    return this.#object.write(job);
  }

  read(statements: readonly Statement[]): Outcome {
    return this.#object.read(statements);
  }

  room(): Room {
    return this.#object.room();
  }

  follow(
    tenantId: string,
    since: number | null,
  ): AsyncResult<ReadableStream<Uint8Array<ArrayBuffer>>> {
    return this.#object.follow(tenantId, since);
  }

  async alarm(): Promise<void> {
    const sharedOrFault = await sharedFor(this.env);
    if (typeof sharedOrFault === "string")
      return log({ event: "misconfigured", fault: sharedOrFault });
    for (const report of await this.#object.alarm(sharedOrFault.isolate))
      if (report.changed !== 0) log({ event: "scheduled", ...report });
  }
}

function misconfigured(detail: string): Response {
  log({ event: "misconfigured", fault: detail });
  const headers = { "Content-Type": "application/problem+json" };
  return Response.json({ reason: "misconfigured", detail }, { status: 503, headers });
}

/** The Durable Object of one parked call. */
export class ParkedCall extends DurableObject<WorkerBindings> {
  #answer: ReturnType<typeof createParkedObject> | undefined;

  async fetch(request: Request): Promise<Response> {
    const sharedOrFault = await sharedFor(this.env);
    if (typeof sharedOrFault === "string") return misconfigured(sharedOrFault);
    this.#answer ??= createParkedObject(sharedOrFault.isolate, this.ctx);
    return this.#answer(request);
  }
}

export default {
  async fetch(request: Request, env: WorkerBindings): Promise<Response> {
    const sharedOrFault = await sharedFor(env);
    if (typeof sharedOrFault === "string") return misconfigured(sharedOrFault);
    const directly = answeredDirectly(sharedOrFault, request);
    if (directly !== null) return directly.then(responseOf);
    const { servicesFor } = newComposition(sharedOrFault.isolate, request);
    // Cloudflare's edge sets this header, so clients can't forge it.
    const address = (): string => request.headers.get("CF-Connecting-IP") ?? "";
    return app.fetch(request, { servicesFor, address });
  },

  async scheduled(_event: unknown, env: WorkerBindings): Promise<void> {
    const sharedOrFault = await sharedFor(env);
    if (typeof sharedOrFault === "string")
      return log({ event: "misconfigured", fault: sharedOrFault });
    for (const report of await newComposition(sharedOrFault.isolate).jobs())
      if (report.changed !== 0) log({ event: "scheduled", ...report });
  },
} satisfies Pick<ExportedHandler<WorkerBindings>, "scheduled"> & {
  fetch(request: Request, env: WorkerBindings): Promise<Response>;
};
