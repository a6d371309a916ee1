/** What every handler finds in its Hono context. Nothing below `http/` sees a context. */
import type { IsOperatorToken } from "../pipeline/people/operator-token.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import type { Context } from "hono";
import type { Actor } from "../domain/tenancy/access.ts";
import type { AuditKey } from "../domain/audit/seals.ts";
import { ownUrlOf, type Asked } from "../domain/servers/own-origin.ts";
import type { ConsoleFiles } from "../domain/ports/console-files.ts";
import type { Readiness } from "../domain/ports/readiness.ts";
import type { AdminFor } from "../pipeline/admin/by-tenant.ts";
import type { LargeBodyServices } from "../proxy/large-bodies.ts";
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

/** What each surface uses, and no more. One object may stand behind several of them. */
export interface Services {
  /** what every request needs, whatever it asks for */
  app: {
    ids: Pick<Ids, "next">;
    /** One structured line for what nobody expected: the name of what was thrown, never its message. */
    report: (requestId: string, thrown: unknown) => void;
    allowedOrigins: readonly string[];
    /** asked before an OAuth or sign-in endpoint reads what an address without a key sent */
    publicRequests: AddressRate;
    /** origins in `PUBLIC_URL` */
    publicOrigins: readonly string[];
    /** the same with the paths that gateways put before the router */
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
    /** whether this is the operator's token; a refusal where somebody guesses */
    isOperator: IsOperatorToken;
    now: () => number;
    consoleSessions: Pick<ConsoleSessions, "find">;
    isSame: (one: string, other: string) => Promise<boolean>;
  };
  console: {
    consoleSessions: ConsoleSessions;
    /** where the tenant's people sign in; null: those of the operator */
    personSignInOf: (slug: string | null) => AsyncResult<PersonSignIn>;
    /** compares secrets in the same time, however much of them agrees */
    isSame: (one: string, other: string) => Promise<boolean>;
  };
  oauth: {
    /** Ends an authorization, with the query that a person's browser brings back from an authorization server. */
    finishAuthorization: (came: {
      query: URLSearchParams;
      /** what the browser kept; empty: nothing */
      browser: string;
    }) => AsyncResult<FinishedAuthorization>;
    /** people's own accounts at registered servers */
    connections: PersonConnections;
    /** the pages on which people see and end what they let in */
    people: PersonPages;
    /** the router as an authorization server; null: OAuth is off */
    authorizationServer: () => AuthorizationServer | null;
    consents: () => OauthConsents | null;
    challenges: Challenges;
    /** asked before a client is registered from an address */
    registrations: AddressRate;
    /** asked before a consent page is opened from an address */
    consentOpenings: AddressRate;
  };
  health: { readiness: Pick<Readiness, "check"> };
  /** the operator's figures; null: this host is no single process, so it has none to show */
  metrics: {
    isOperator: IsOperatorToken;
    shownMetrics: (() => { text: string; type: string }) | null;
  };
  consolePage: { consoleFiles: ConsoleFiles };
  /** of every public key that ever signed, on any database */
  audit: { auditKeys: () => AsyncResult<AuditKey[]> };
}

export interface HttpEnv {
  Bindings: {
    /** the services of the database that a bearer token names; null: there is no token */
    servicesFor: (token: string | null) => Services;
    /** called with the id under which the request is recorded; absent: this host asks for no id */
    requestIs?: (requestId: string) => void;
    /** the address that calls, as the host knows it; absent: this host does not know */
    address?: () => string;
  };
  Variables: {
    services: Services;
    requestId: string;
    /** who acts on the admin API */
    actor: Actor;
  };
}

/** The router's address for browsers and clients, with the path of a gateway before it; null: unknown. */
export const ownUrlAt = (c: Context<HttpEnv>): string | null =>
  ownUrlOf(askedAt(c), c.get("services").app.publicUrls);

/** Where the router is: the URL that the request names, and the origins that the deployment names. */
export const askedAt = (c: Context<HttpEnv>): Asked => ({
  url: c.req.url,
  publicOrigins: c.get("services").app.publicOrigins,
});
