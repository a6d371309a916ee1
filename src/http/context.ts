/** What every handler finds in its Hono context. Nothing below `http/` sees one. */
import type { Context } from "hono";
import type { Actor } from "../domain/access.ts";
import type { Ids } from "../domain/ids.ts";
import type { IdempotencyStore } from "../domain/ledger.ts";
import type { AuditKey } from "../domain/seals.ts";
import type { Asked } from "../domain/own-origin.ts";
import type { ServerStore } from "../domain/server-stores.ts";
import type { Answer } from "../domain/ports.ts";
import type { Readiness } from "../domain/readiness.ts";
import type { AdminFor } from "../pipeline/admin/sharded.ts";
import type { Deliver } from "../pipeline/deliver.ts";
import type { Cancellation } from "../pipeline/cancel.ts";
import type { Authenticate } from "../pipeline/authenticate.ts";
import type { Route } from "../pipeline/route.ts";
import type { OpenExchanges } from "../pipeline/open-exchanges.ts";
import type { BeginRounds } from "../pipeline/rounds.ts";
import type { Sample } from "../pipeline/sample.ts";
import type { Sessions } from "../pipeline/sessions.ts";
import type { Streams } from "../pipeline/streams.ts";
import type { Door } from "../pipeline/turns.ts";
import type { Upstream } from "../pipeline/upstream.ts";

/** The pipeline, as one request needs it: over the database of the caller's shard, and no other. */
export interface Services {
  authenticate: Authenticate;
  sample: Sample;
  route: Route;
  sessions: Sessions;
  cancellation: Cancellation;
  adminFor: AdminFor;
  upstream: Upstream;
  rounds: BeginRounds;
  /** of requests that were taken out of streams */
  idempotency: Pick<IdempotencyStore, "isTaken" | "deliver">;
  deliver: Deliver;
  streams: Streams;
  openExchanges: OpenExchanges;
  /** how admissions are let in, tenants in turn */
  door: Door;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** One structured line: ids, reasons and counts; never content. */
  note: (entry: Record<string, unknown>) => void;
  servers: Pick<ServerStore, "learn">;
  /** Work that outlives the caller. */
  background: (work: Promise<unknown>) => void;
  readiness: Readiness;
  /** every public key that ever signed, on any shard */
  auditKeys: () => Answer<AuditKey[]>;
  /** What a person's browser brings back from an authorization server. */
  finishAuthorization: (query: URLSearchParams) => Answer<{ server: string }>;
  ids: Ids;
  now: () => number;
  /** ms, for durations: never set back */
  elapsed: () => number;
  sha256Hex: (bytes: Uint8Array<ArrayBuffer>) => Promise<string>;
  /** is this the operator's token */
  isOperator: (token: string) => Promise<boolean>;
  allowedOrigins: readonly string[];
  /** origins in `PUBLIC_URL` */
  publicOrigins: readonly string[];
  /** One structured line for what nobody expected: the name of what was thrown, never its message. */
  report: (requestId: string, thrown: unknown) => void;
}

export interface HttpEnv {
  Bindings: {
    /** by the bearer token; null: there is none */
    servicesFor: (token: string | null) => Services;
  };
  Variables: {
    services: Services;
    requestId: string;
    /** on the admin API */
    actor: Actor;
  };
}

/** What a request says of where the router is, and what the deployment says. */
export const askedAt = (c: Context<HttpEnv>): Asked => ({
  url: c.req.url,
  publicOrigins: c.get("services").publicOrigins,
});

/** The bearer token of an Authorization header; null: none. */
export function bearerOf(header: string | undefined): string | null {
  const match = /^Bearer +(\S+) *$/i.exec(header ?? "");
  return match?.[1] ?? null;
}
