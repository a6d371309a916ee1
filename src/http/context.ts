/** What every handler finds in its Hono context. Nothing below `http/` sees a context. */
import type { AsyncResult } from "../domain/refusals.ts";
import type { Context } from "hono";
import type { Actor } from "../domain/tenancy/access.ts";
import type { AuditKey } from "../domain/audit/seals.ts";
import type { Asked } from "../domain/servers/own-origin.ts";
import type { Readiness } from "../domain/ports/readiness.ts";
import type { AdminFor } from "../pipeline/admin/sharded.ts";
import type { ReceiveServices } from "../proxy/receive.ts";
import type { Route } from "../pipeline/route.ts";
import type { Door } from "../pipeline/turns.ts";

/** What every handler can use. The proxy's own services are named where they are used. */
export interface Services extends ReceiveServices {
  route: Route;
  adminFor: AdminFor;
  /** how calls are let in, tenants in turn */
  door: Door;
  readiness: Readiness;
  /** every public key that ever signed, on any shard */
  auditKeys: () => AsyncResult<AuditKey[]>;
  /** Ends an authorization, with the query that a person's browser brings back from an authorization server. */
  finishAuthorization: (query: URLSearchParams) => AsyncResult<{ server: string }>;
  /** whether this is the operator's token */
  isOperator: (token: string) => Promise<boolean>;
  allowedOrigins: readonly string[];
  /** origins in `PUBLIC_URL` */
  publicOrigins: readonly string[];
}

export interface HttpEnv {
  Bindings: {
    /** the services of the shard that a bearer token names; null: there is no token */
    servicesFor: (token: string | null) => Services;
    /** told the id under which the request is recorded; absent: this host asks for none */
    requestIs?: (requestId: string) => void;
  };
  Variables: {
    services: Services;
    requestId: string;
    /** who acts on the admin API */
    actor: Actor;
  };
}

/** Where a request says that the router is, and where the deployment says it is. */
export const askedAt = (c: Context<HttpEnv>): Asked => ({
  url: c.req.url,
  publicOrigins: c.get("services").publicOrigins,
});
