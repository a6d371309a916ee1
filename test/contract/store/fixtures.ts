/** Whole objects to start from; a test names only what it is about. */
import type { ModelEndpointName } from "../../../src/domain/model-endpoint.ts";
import type { StoredKey } from "../../../src/domain/tenancy/access.ts";
import type { StoredConsoleSession } from "../../../src/domain/tenancy/console-session.ts";
import type { Correction, Opening, Settlement } from "../../../src/domain/audit/record.ts";
import type { AdminEvent } from "../../../src/domain/admin-event.ts";
import { createIds, type IdKind } from "../../../src/domain/tenancy/ids.ts";
import { limitChecksOf, type LimitedScope } from "../../../src/domain/limits/limit-checks.ts";
import type { Limits, Policy } from "../../../src/domain/choice/policy.ts";
import type { Reservation } from "../../../src/domain/ports/ledger.ts";
import type { SealedCredential, Stores, Tenant } from "../../../src/domain/ports/stores.ts";
import type { Decision } from "../../../src/domain/choice/decision.ts";
import type { Authorization, ServerTokens } from "../../../src/domain/ports/server-stores.ts";
import type { SealedServer } from "../../../src/domain/servers/server.ts";
import { signedIn } from "../../../src/domain/tenancy/user.ts";
import type { Session } from "../../../src/domain/tenancy/session.ts";
import { value } from "./open.ts";

/** A whole second, so that the arithmetic of the buckets can be read. */
export const start = 1_800_000_000_000;

// Ids sort by time; a clock that ticks with each id puts them in the order in which they were made.
let ticks = 0;
const ids = createIds({
  now: () => start + ticks++,
  randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
});
export const id = (kind: IdKind): string => ids.next(kind);

export const event = (tenantId: string | null, action = "test.done"): AdminEvent => ({
  id: id("event"),
  at: start,
  actor: "operator",
  action,
  tenantId,
  target: "target",
  detail: { why: "test" },
});

export const tenant = (fields: Partial<Tenant> = {}): Tenant => {
  const tenantId = id("tenant");
  return {
    id: tenantId,
    slug: tenantId.replace("_", "-"),
    name: "Tenant",
    policy: {},
    ceiling: { limits: {} },
    version: 1,
    createdAt: start,
    residency: null,
    ...fields,
  };
};

export const key = (tenantId: string, fields: Partial<StoredKey> = {}): StoredKey => ({
  id: id("key"),
  tenantId,
  name: "Key",
  createdBy: "operator",
  scopes: ["sampling"],
  expiresAt: null,
  revokedAt: null,
  limits: {},
  userId: null,
  createdAt: start,
  secretHash: "hash",
  givenTo: [],
  code: "code",
  ...fields,
});

export async function revokeKey(
  { keys, tenants }: Pick<Stores, "keys" | "tenants">,
  { tenantId, keyId }: { tenantId: string; keyId: string },
): Promise<void> {
  const { version = 0 } = value(await tenants.byId(tenantId)) ?? {};
  const revoked = { tenantId, id: keyId, revokedAt: start, code: "revoked" };
  value(await keys.revoke(revoked, event(tenantId), version));
}

export const credential = (
  tenantId: string,
  fields: Partial<SealedCredential> = {},
): SealedCredential => ({
  id: id("credential"),
  tenantId,
  provider: "openai",
  name: "Credential",
  baseUrl: null,
  place: null,
  headerNames: null,
  models: null,
  status: "active",
  sealed: "v1.aaaaaaaaaaaa.nonce.text",
  createdAt: start,
  updatedAt: start,
  listing: null,
  lastCheck: null,
  listingDueAt: 0,
  ...fields,
});

export const server = (tenantId: string, fields: Partial<SealedServer> = {}): SealedServer => ({
  id: id("server"),
  tenantId,
  slug: "server",
  url: "https://server.test/mcp",
  headerNames: ["X-Api-Key"],
  passHeaders: [],
  forwardAuthorization: false,
  sampling: "router",
  supportedModalities: false,
  auth: "keys",
  bridge: "fallback",
  parking: false,
  policy: { limits: { requestsPerMinute: 5 } },
  oauth: null,
  learned: {},
  status: "active",
  sealed: "v1.aaaaaaaaaaaa.nonce.headers",
  createdAt: start,
  updatedAt: start,
  ...fields,
});

/** A server whose authorization server a person lets the router in at. `per`: whose account it is. */
export const oauthServer = (
  tenantId: string,
  { per, ...fields }: Partial<SealedServer> & { per?: "user" } = {},
): SealedServer =>
  server(tenantId, {
    headerNames: [],
    sealed: null,
    oauth: {
      grant: "authorization_code",
      clientId: "client",
      hasSecret: false,
      tokenEndpoint: null,
      authorizationEndpoint: null,
      scope: null,
      resource: null,
      ...(per !== undefined && { per }),
    },
    ...fields,
  });

export const tokens = (
  tenantId: string,
  serverId: string,
  fields: Partial<ServerTokens> = {},
): ServerTokens => ({
  tenantId,
  serverId,
  sealed: "v1.aaaaaaaaaaaa.nonce.tokens",
  generation: "first",
  expiresAt: start + 3_600_000,
  leaseUntil: 0,
  fault: null,
  ...fields,
});

/** Somebody who signed in, and has that id. */
export const ownerNamed = (userId: string) => ({ userId, shown: signedIn });

export const authorization = (
  tenantId: string,
  serverId: string,
  fields: Partial<Authorization> = {},
): Authorization => ({
  id: crypto.randomUUID(),
  tenantId,
  serverId,
  owner: null,
  actor: "operator",
  sealed: "v1.aaaaaaaaaaaa.nonce.pending",
  expiresAt: start + 600_000,
  ...fields,
});

export const session = (
  tenantId: string,
  keyId: string,
  fields: Partial<Session> = {},
): Session => ({
  id: id("session"),
  tenantId,
  keyId,
  revision: "2025-11-25",
  capabilities: { sampling: { tools: {}, supportedModalities: ["text", "image"] } },
  clientInfo: { name: "client", version: "1" },
  serverId: null,
  upstreamId: null,
  advertisedCapabilities: null,
  bridge: null,
  clientStreamUntil: null,
  routerStreamUntil: null,
  parkedUntil: null,
  createdAt: start,
  lastUsedAt: start,
  expiresAt: start + 3_600_000,
  ...fields,
});

export const consoleSession = (
  tenantId: string | null,
  subject: string,
  fields: Partial<StoredConsoleSession> = {},
): StoredConsoleSession => ({
  id: id("console"),
  tenantId,
  kind: "key",
  subject,
  issuer: null,
  name: null,
  userId: null,
  role: "admin",
  secretHash: "hash",
  proof: "proof",
  code: "code",
  createdAt: start,
  expiresAt: start + 3_600_000,
  ...fields,
});

export interface Caller {
  tenantId: string;
  keyId: string;
  tenantLimits: Limits;
  keyLimits: Limits;
}

/** A tenant with one key, stored; its version is then 2, since a key is a change. */
export async function caller(
  stores: Stores,
  fields: { tenantLimits?: Limits; keyLimits?: Limits; policy?: Policy } = {},
): Promise<Caller> {
  const { tenantLimits = {}, keyLimits = {}, policy = {} } = fields;
  const its = tenant({ policy: { ...policy, limits: tenantLimits } });
  value(await stores.tenants.create(its, event(its.id)));
  const keyId = await anotherKey(stores, its.id, keyLimits);
  return { tenantId: its.id, keyId, tenantLimits, keyLimits };
}

export async function anotherKey(
  stores: Stores,
  tenantId: string,
  limits: Limits = {},
): Promise<string> {
  const its = key(tenantId, { limits });
  value(await stores.keys.create(its, event(tenantId)));
  return its.id;
}

export const opening = (who: Pick<Caller, "tenantId" | "keyId">, createdAt = start): Opening => ({
  id: id("request"),
  who: {
    tenantId: who.tenantId,
    keyId: who.keyId,
    sessionId: null,
    serverId: null,
    tool: null,
    clientName: "client",
    clientVersion: "1",
    revision: "2025-11-25",
  },
  createdAt,
  asked: {
    messages: 1,
    characters: 5,
    bytes: 100,
    inputModalities: ["text"],
    outputModalities: ["text"],
    tools: 0,
    maxTokens: 100,
    hints: ["claude"],
    priorities: { cost: 1 },
    includeContext: "none",
    temperature: null,
  },
  contentSha256: "00".repeat(32),
});

export const decision = (fields: Partial<Decision> = {}): Decision => ({
  provider: "openai",
  model: "gpt",
  candidates: [{ provider: "openai", model: "gpt", score: 1 }],
  excluded: {},
  requirements: {
    inputModalities: ["text"],
    outputModalities: ["text"],
    tools: false,
    inputTokens: 20,
    maxTokens: 80,
  },
  weights: { cost: 1, speed: 0, intelligence: 0 },
  estimate: { inputTokens: 20, outputTokens: 80, costUsd: 0.001 },
  catalogueVersion: "test",
  notes: [],
  ...fields,
});

/** How long the leases of these tests last. */
/** A call of a person in groups, with a tag, at an endpoint. */
export const named = (
  reserved: Reservation,
  { groups, tag, endpoint }: { groups?: string[]; tag?: string; endpoint?: ModelEndpointName } = {},
): Reservation => {
  const { opening: its } = reserved;
  const who = { ...its.who, user: "usr_named", ...(groups !== undefined && { groups }) };
  const asked = its.asked && {
    ...its.asked,
    ...(tag !== undefined && { tag }),
    ...(endpoint !== undefined && { endpoint }),
  };
  return { ...reserved, opening: { ...its, who, asked } };
};

export const leaseMs = 75_000;

export interface ReservationFields extends Partial<Reservation> {
  tokens?: number;
  microUsd?: number;
  sessionId?: string;
  /** the registered server that asks, and what it may do */
  server?: { id: string; limits: Limits };
  contentSha256?: string;
  /** more nodes at which the call is charged */
  nodes?: readonly LimitedScope[];
}

/** Of a call that is held until a person approves it. */
export const waitingForAPerson: ReservationFields = {
  leaseUntil: null,
  approval: {
    stage: "request",
    deadline: start + 3_600_000,
    onTimeout: "deny",
    conditions: [],
    contentHash: "",
    parts: [],
  },
};

/** What a caller reserves at a moment: 100 tokens, under every limit that the caller has. */
export function reservation(
  who: Caller,
  now: number,
  {
    tokens: tokensAsked = 100,
    microUsd = 1_000,
    sessionId,
    server: asking,
    contentSha256,
    nodes = [],
    ...fields
  }: ReservationFields = {},
): Reservation {
  const plain = opening(who, now);
  return {
    opening: {
      ...plain,
      who: { ...plain.who, sessionId: sessionId ?? null, serverId: asking?.id ?? null },
      contentSha256: contentSha256 ?? plain.contentSha256,
    },
    decision: decision(),
    fallbacks: [],
    tenantVersion: 2,
    limitChecks: limitChecksOf({
      now,
      tokens: tokensAsked,
      microUsd,
      scopes: [
        { scope: "tenant", subject: who.tenantId, limits: who.tenantLimits },
        { scope: "key", subject: who.keyId, limits: who.keyLimits },
        ...(asking === undefined
          ? []
          : [{ scope: "server" as const, subject: asking.id, limits: asking.limits }]),
        ...nodes,
      ],
    }),
    reservedTokens: tokensAsked,
    reservedMicroUsd: microUsd,
    now,
    leaseUntil: now + leaseMs,
    sessionExpiresAt: sessionId === undefined ? null : now + 3_600_000,
    probes: [],
    idempotency: null,
    ...fields,
  };
}

/** What an operator found out about a call that was lost. */
export const correction = (fields: Partial<Correction> = {}): Correction => ({
  outcome: "succeeded",
  inputTokens: 10,
  outputTokens: 30,
  costMicroUsd: 200,
  reason: "the provider's invoice",
  actor: "operator",
  at: start,
  ...fields,
});

/** The good end of a reservation, charged as used. */
export const settlement = (
  reserved: Reservation,
  now: number,
  fields: Partial<Settlement> = {},
): Settlement => ({
  id: reserved.opening.id,
  tenantId: reserved.opening.who.tenantId,
  now,
  receipt: null,
  limitChecks: reserved.limitChecks,
  chargedTokens: reserved.reservedTokens,
  chargedMicroUsd: 500,
  result: null,
  health: [],
  circuits: [],
  probed: false,
  failing: [],
  captured: null,
  outcome: "succeeded",
  reason: null,
  reasonDetail: null,
  attempts: [],
  usage: { inputTokens: 20, outputTokens: 80, estimated: false },
  costMicroUsd: 500,
  model: "openai/gpt",
  timing: { auth: 1, choose: 1, approve: 0, admit: 2, provider: 100 },
  totalMs: 110,
  overheadMs: 10,
  ...fields,
});
