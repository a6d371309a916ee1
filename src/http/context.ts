/** The Hono context of handlers. Nothing below `http/` sees a context. */
import type { IsOperatorToken } from "../pipeline/people/operator-token.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import type { Context } from "hono";
import type { Actor } from "../domain/tenancy/access.ts";
import type { AuditKey } from "../domain/audit/seals.ts";
import { ownUrlOf, type RequestOrigin } from "../domain/servers/own-origin.ts";
import type { ConsoleFiles } from "../domain/ports/console-files.ts";
import type { Readiness } from "../domain/ports/readiness.ts";
import type { AdminFor } from "../pipeline/admin/by-tenant.ts";
import type { LargeBodyServices } from "../pipeline/callers/body-allowance.ts";
import type { ReceiveServices } from "../proxy/receive.ts";
import type { AuthorizationServer } from "../domain/ports/authorization-server.ts";
import type { AddressRate } from "../pipeline/callers/address-rates.ts";
import type { Challenges } from "../pipeline/servers/challenges.ts";
import type { OauthConsents } from "../pipeline/people/consent/oauth-consents.ts";
import type { FinishedAuthorization } from "../pipeline/admin/servers/server-authorization.ts";
import type { PersonConnections } from "../pipeline/people/consent/person-connections.ts";
import type { PersonPages } from "../pipeline/people/consent/person-pages.ts";
import type { Route } from "../pipeline/sampling/route.ts";
import type { Authenticate } from "../pipeline/callers/authenticate.ts";
import type { Ids } from "../domain/tenancy/ids.ts";
import type { ConsoleSessions } from "../pipeline/people/console-sessions.ts";
import type { PersonSignIn } from "../pipeline/people/person-sign-in.ts";
import type { ModelServices, SamplingServices } from "./sampling-services.ts";

export interface Services {
  app: {
    ids: Pick<Ids, "next">;
    /** Logs the name of an unexpected exception, never its message. */
    report: (requestId: string, thrown: unknown) => void;
    allowedOrigins: readonly string[];
    publicRequests: AddressRate;
    publicOrigins: readonly string[];
    publicUrls: readonly string[];
  };
  sampling: SamplingServices;
  models: ModelServices;
  dryRun: LargeBodyServices & { route: Route };
  proxy: ReceiveServices;
  admin: {
    authenticate: Authenticate;
    adminFor: AdminFor;
    sha256Hex: (content: string | Uint8Array<ArrayBuffer>) => Promise<string>;
    /** refuses guesses */
    isOperator: IsOperatorToken;
    now: () => number;
    consoleSessions: Pick<ConsoleSessions, "find">;
    isSame: (one: string, other: string) => Promise<boolean>;
  };
  console: {
    consoleSessions: ConsoleSessions;
    personSignInOf: (slug: string | null) => AsyncResult<PersonSignIn>;
    isSame: (one: string, other: string) => Promise<boolean>;
  };
  oauth: {
    finishAuthorization: (came: {
      query: URLSearchParams;
      browser: string;
    }) => AsyncResult<FinishedAuthorization>;
    connections: PersonConnections;
    people: PersonPages;
    authorizationServer: () => AuthorizationServer | null;
    consents: () => OauthConsents | null;
    challenges: Challenges;
    registrations: AddressRate;
    consentOpenings: AddressRate;
  };
  health: { readiness: Pick<Readiness, "check"> };
  /** `null` on hosts without a single process */
  metrics: {
    isOperator: IsOperatorToken;
    shownMetrics: (() => { text: string; type: string }) | null;
  };
  consolePage: { consoleFiles: ConsoleFiles };
  audit: { auditKeys: () => AsyncResult<AuditKey[]> };
}

export interface HttpEnv {
  Bindings: {
    servicesFor: (token: string | null) => Services;
    requestIs?: (requestId: string) => void;
    address?: () => string;
  };
  Variables: {
    services: Services;
    requestId: string;
    actor: Actor;
  };
}

/** Including a gateway's path; `null` if unknown. */
export const ownUrlAt = (c: Context<HttpEnv>): string | null =>
  ownUrlOf(askedAt(c), c.get("services").app.publicUrls);

export const askedAt = (c: Context<HttpEnv>): RequestOrigin => ({
  url: c.req.url,
  publicOrigins: c.get("services").app.publicOrigins,
});
