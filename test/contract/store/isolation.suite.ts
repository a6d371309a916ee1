/**
 * Tenants are strangers: nobody can see or change in another tenant's name what one tenant owns. Every method
 * of every store has a line here, or stands in the list of those that name no tenant.
 */
import { noAttention, type Alert } from "../../../src/domain/alerts.ts";
import type { OauthEntryChange } from "../../../src/domain/ports/oauth-entries.ts";
import type { HealthChange } from "../../../src/domain/choice/health.ts";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { usageGroupings } from "../../../src/domain/ports/top-usage.ts";
import { histogramOfCalls } from "../../../src/domain/latencies.ts";
import { limitChecksOf } from "../../../src/domain/limits/limit-checks.ts";
import type { Stores } from "../../../src/domain/ports/stores.ts";
import type { StoredSignIn } from "../../../src/domain/tenancy/sign-in.ts";
import type { StoredUser } from "../../../src/domain/tenancy/user.ts";
import { createLatencyJob } from "../../../src/pipeline/scheduled/latencies.ts";
import { raw } from "../../../src/store/db.ts";
import {
  authorization,
  ownerNamed,
  caller,
  consoleSession,
  correction,
  credential,
  decision,
  event,
  id as newId,
  key,
  named,
  opening,
  reservation,
  server,
  session,
  settlement,
  start,
  tenant,
  tokens,
  type Caller,
} from "./fixtures.ts";
import { givenWorld, value, type Backend, type World } from "./open.ts";
import type { NewApproval } from "../../../src/domain/sampling/approval.ts";
import { sealAll, sealingOn } from "./sealing.ts";

const page = { cursor: null, limit: 100 };
const empty = { data: [], nextCursor: null };
const dayMs = 86_400_000;
const idempotencyKey = "11".repeat(32);
const expiresAt = start + dayMs;
const contentHash = "22".repeat(32);
const waiting: NewApproval = {
  stage: "request",
  deadline: start + dayMs,
  onTimeout: "deny",
  conditions: [],
  contentHash,
  parts: ["v1.shown"],
  webhook: { url: "https://hooks.test/mine", notice: { model: "openai/gpt" } },
};
const messageOf = ({ held }: Owned): string => `msg_${held.opening.id}_request_held`;

/** A person of the owner's, whose id a stranger knows. */
const ownerUser = "usr_owner";

const ownedTables = [
  "api_keys",
  "approvals",
  "authorizations",
  "cancellations",
  "questions",
  "alerts",
  "audit_sinks",
  "captures",
  "circuits",
  "console_sessions",
  "counters",
  "credential_tokens",
  "credentials",
  "grouped_usage",
  "health",
  "idempotency",
  "latencies",
  "latency_cursors",
  "model_overrides",
  "oauth_entries",
  "record_numbers",
  "results",
  "sampling_requests",
  "seals",
  "server_tokens",
  "user_tokens",
  "servers",
  "sessions",
  "sign_ins",
  "unreadable_records",
  "usage",
  "users",
  "webhook_messages",
  "webhook_secrets",
] as const;

const generationOf = async (
  stored: Stores["credentialTokens"],
  { who, credential: its }: Pick<Owned, "who" | "credential">,
): Promise<string> => value(await stored.get(who.tenantId, its.id))?.generation ?? "";

const grantEntryOf = (tenantId: string): OauthEntryChange => ({
  tenantId,
  key: "grant:a",
  value: "mine",
  expiresAt: null,
  ifVersion: "any",
});

function userOf(tenantId: string): Pick<Owned, "user" | "userKey"> {
  const user: StoredUser = {
    id: `usr_${tenantId}`,
    tenantId,
    finder: "found",
    name: "Mine",
    keyId: newId("key"),
    sealed: "v1.mine",
    createdAt: start,
    role: null,
    signedInAt: null,
  };
  return { user, userKey: key(tenantId, { id: user.keyId, userId: user.id }) };
}

const signInOf = (tenantId: string): StoredSignIn => ({
  tenantId,
  issuer: "https://id.test",
  sealed: "v1.mine",
  updatedAt: start,
});

const alertOf = (tenantId: string, subject: string): Alert => ({
  tenantId,
  subject,
  id: newId("alert"),
  kind: "circuit_open",
  at: start,
  name: null,
  threshold: null,
  limit: null,
  used: null,
  periodFrom: start,
  periodUntil: start + dayMs,
});

/** One object of each kind, owned by one tenant. */
interface Owned {
  who: Caller;
  credential: ReturnType<typeof credential>;
  server: ReturnType<typeof server>;
  tokens: ReturnType<typeof tokens>;
  authorization: ReturnType<typeof authorization>;
  session: ReturnType<typeof session>;
  consoleSession: ReturnType<typeof consoleSession>;
  settled: ReturnType<typeof reservation>;
  running: ReturnType<typeof reservation>;
  lost: ReturnType<typeof reservation>;
  held: ReturnType<typeof reservation>;
  user: StoredUser;
  /** that programs of the person act as */
  userKey: ReturnType<typeof key>;
}

const heldPlaceOf = ({ held }: Owned, { tenantId }: Caller) => ({
  tenantId,
  requestId: held.opening.id,
});

/** Methods that name no tenant: they serve all tenants, or find the tenant by a secret's id. */
const nameNoTenant = [
  "snapshots.load",
  "tenants.bySlug",
  "tenants.byId",
  "ledger.sweep",
  "ledger.prune",
  "thinning.ended",
  // The state is the secret by which the tenant is found.
  "authorizations.take",
  "authorizations.prune",
  // The id stands in a cookie beside a secret, by which the session is found.
  "consoleSessions.find",
  "consoleSessions.prune",
  "oauthEntries.prune",
  "sessions.prune",
  "cancellations.prune",
  "questions.prune",
  "catalogues.newerThan",
  "catalogues.state",
  "catalogues.claim",
  "catalogues.replace",
  "catalogues.postpone",
  "health.prune",
  "idempotency.prune",
  "approvals.expire",
  "approvals.findUnclosed",
  // The job looks over all tenants; what is found names its tenant.
  "sinks.claim",
  // A stretch names its tenant, and comes from the claim alone.
  "sinks.delivered",
  "sinks.failed",
  "alerts.crossed",
  "alerts.troubles",
  "alerts.circuits",
  "alerts.prune",
  "webhooks.due",
  "signIns.areSet",
  // A message names its tenant, and comes from `due` alone.
  "webhooks.claim",
  "webhooks.prune",
  "requests.pruneContents",
  "seals.aged",
  "seals.oldest",
  // Cursors of all tenants, which the job that counts durations goes through. Its other steps take such a cursor.
  "latencies.pending",
  // The operator's plot of all tenants.
  "usage.readAll",
  "latencies.readAll",
  "placements.claim",
  "placements.replace",
  "placements.bySlug",
  "placements.release",
  "placements.confirm",
  "placements.beginDeletion",
  "placements.list",
  "placements.namesOf",
  // Of `home` alone, which no tenant asks.
  "resealedTenants.claim",
  "resealedTenants.release",
  "resealedTenants.cursor",
  "resealedTenants.notResealed",
  "resealedTenants.markResealed",
  "resealedTenants.appendEvent",
  // All tenants of a database, for `home`. What `home` enters is tested in `outbox.suite.ts`.
  "outbox.begin",
  "outbox.end",
  "outbox.raise",
  "deliveries.enter",
  // What makes room in a database that is one tenant's alone: `worker/room.test.ts`.
  "room.append",
  "room.deleteOldest",
  "room.note",
  "room.noted",
  // Rows of all tenants, which the job that seals anew goes through.
  "sealing.states",
  "sealing.hasOthers",
  "sealing.foreign",
  "sealing.begin",
  "sealing.advance",
  "sealing.claim",
  "sealing.release",
  "sealedRows.page",
  "sealedRows.coded",
  "seals.claim",
  "seals.release",
  "seals.waitingTenants",
  "seals.keys",
  "seals.cursor",
  "seals.keepCursor",
  "seals.numberedTenants",
  "seals.heads",
  "seals.reportKey",
  "seals.keepKeys",
];

const seen = (credentialId: string): HealthChange => ({
  credentialId,
  model: "openai/gpt",
  sample: { at: start, ms: 100, outputTokens: 10 },
});

const askedOf = ({ who, session: { id } }: Pick<Owned, "who" | "session">) => ({
  tenantId: who.tenantId,
  sessionId: id,
  ids: ["q"],
});
const callOf = ({ who, session: { id } }: Pick<Owned, "who" | "session">) => ({
  tenantId: who.tenantId,
  sessionId: id,
  messageId: "1",
});

/** What a stranger may try with the owner's ids, and what the stranger then gets: null, nothing, no row. */
const attempts: Record<string, (stores: Stores, owner: Owned, stranger: Caller) => Promise<void>> =
  {
    "tenants.create": async ({ tenants }, { who }) => {
      const theft = await tenants.create(tenant({ id: who.tenantId, slug: "stolen" }), event(null));
      expect(theft).toMatchObject({ ok: false, error: { reason: "conflict" } });
    },
    "thinning.recorded": async ({ thinning }, { who }, { tenantId }) => {
      value(await thinning.recorded({ tenantId, keyId: who.keyId, minute: 0, requests: 1 }));
    },
    "tenants.update": async ({ tenants }, _, { tenantId }) => {
      value(await tenants.update(tenantId, { name: "Stranger" }, event(tenantId)));
    },
    "tenants.remove": async ({ tenants }, _, { tenantId }) => {
      value(await tenants.remove(tenantId, event(tenantId)));
    },
    "keys.create": async ({ keys }, { who }, { tenantId }) => {
      const theft = await keys.create(key(tenantId, { id: who.keyId }), event(tenantId));
      expect(theft).toMatchObject({ ok: false, error: { reason: "conflict" } });
    },
    "keys.get": async ({ keys }, { who }, { tenantId }) => {
      expect(value(await keys.get(tenantId, who.keyId))).toBeNull();
    },
    "keys.list": async ({ keys }, { who }, { tenantId }) => {
      const listed = value(await keys.list(tenantId, page)).data;
      expect(listed.map(({ id }) => id)).not.toContain(who.keyId);
      expect(listed).toHaveLength(1);
    },
    "keys.replaceSecret": async ({ keys, tenants }, { who }, { tenantId }) => {
      const { version = 0 } = value(await tenants.byId(tenantId)) ?? {};
      const stolen = { tenantId, id: who.keyId, secretHash: "stolen", givenTo: [], code: "stolen" };
      value(await keys.replaceSecret(stolen, event(tenantId), version));
    },
    "keys.update": async ({ keys, tenants }, { who }, { tenantId }) => {
      const change = { name: "Stolen", limits: {}, expiresAt: null, code: "stolen" };
      const { version = 0 } = value(await tenants.byId(tenantId)) ?? {};
      value(await keys.update({ tenantId, id: who.keyId, ...change }, event(tenantId), version));
    },
    "keys.revoke": async ({ keys, tenants }, { who }, { tenantId }) => {
      const { version = 0 } = value(await tenants.byId(tenantId)) ?? {};
      const revoked = { tenantId, id: who.keyId, revokedAt: start, code: "revoked" };
      value(await keys.revoke(revoked, event(tenantId), version));
    },
    "credentials.create": async ({ credentials }, owner, { tenantId }) => {
      const theft = await credentials.create(
        credential(tenantId, { id: owner.credential.id }),
        event(tenantId),
      );
      expect(theft).toMatchObject({ ok: false, error: { reason: "conflict" } });
    },
    "credentials.get": async ({ credentials }, owner, { tenantId }) => {
      expect(value(await credentials.get(tenantId, owner.credential.id))).toBeNull();
    },
    "credentials.list": async ({ credentials }, _, { tenantId }) => {
      expect(value(await credentials.list(tenantId, page))).toEqual(empty);
    },
    "credentials.update": async ({ credentials }, owner, { tenantId }) => {
      const change = {
        sealed: "stolen",
        status: "failing",
        baseUrl: "https://stranger.test",
      } as const;
      value(
        await credentials.update(tenantId, owner.credential.id, change, start, event(tenantId)),
      );
    },
    "credentials.keepCheck": async ({ credentials }, owner, { tenantId }) => {
      const { id, updatedAt } = owner.credential;
      const read = { tenantId, id, readAt: updatedAt };
      const lastCheck = { at: start, ok: true, fault: null };
      const kept = { lastCheck, status: "failing", event: event(tenantId) } as const;
      value(await credentials.keepCheck(read, kept));
    },
    "credentials.claimListing": async ({ credentials }, owner, { tenantId }) => {
      const { id, updatedAt } = owner.credential;
      const slot = { now: start + 1, until: start + 2 };
      const read = { tenantId, id, readAt: updatedAt };
      expect(value(await credentials.claimListing(read, slot))).toBe(false);
    },
    "credentials.keepListing": async ({ credentials }, owner, { tenantId }) => {
      const { id, updatedAt } = owner.credential;
      const read = { tenantId, id, readAt: updatedAt };
      value(await credentials.keepListing(read, { at: start, ids: ["stolen"] }));
    },
    "credentials.remove": async ({ credentials }, owner, { tenantId }) => {
      value(await credentials.remove(tenantId, owner.credential.id, event(tenantId)));
    },
    "overrides.put": async ({ overrides }, _, { tenantId }) => {
      const change = { name: "Stranger's" };
      value(
        await overrides.put(
          tenantId,
          { provider: "openai", id: "gpt", change },
          start,
          event(tenantId),
        ),
      );
      expect(value(await overrides.list(tenantId))).toEqual([
        { provider: "openai", id: "gpt", change },
      ]);
    },
    "overrides.list": async ({ overrides }, _, { tenantId }) => {
      expect(value(await overrides.list(tenantId))).toEqual([]);
    },
    "overrides.remove": async ({ overrides }, _, { tenantId }) => {
      value(await overrides.remove(tenantId, "openai", "gpt", event(tenantId)));
    },
    "servers.create": async ({ servers }, owner, { tenantId }) => {
      const theft = await servers.create(
        server(tenantId, { id: owner.server.id, slug: "other" }),
        event(tenantId),
      );
      expect(theft).toMatchObject({ ok: false, error: { reason: "conflict" } });
      // A slug belongs to a tenant, so the same one is free elsewhere.
      value(await servers.create(server(tenantId, { slug: owner.server.slug }), event(tenantId)));
    },
    "servers.bySlug": async ({ servers }, owner, { tenantId }) => {
      expect(value(await servers.bySlug(tenantId, owner.server.slug))).toBeNull();
    },
    "servers.byId": async ({ servers }, owner, { tenantId }) => {
      expect(value(await servers.byId(tenantId, owner.server.id))).toBeNull();
    },
    "servers.update": async ({ servers }, owner, { tenantId }) => {
      const about = { event: event(tenantId), now: start, tokens: "forget" } as const;
      const change = { url: "https://stranger.test", sealed: "stolen" };
      value(await servers.update(tenantId, owner.server.id, change, about));
    },
    "servers.learn": async ({ servers }, owner, { tenantId }) => {
      value(await servers.learn(tenantId, owner.server.id, { bareCapabilities: true }));
    },
    "servers.replaceSealed": async ({ servers }, owner, { tenantId }) => {
      const secrets = { from: owner.server.sealed, to: "stolen" };
      expect(value(await servers.replaceSealed(tenantId, owner.server.id, secrets))).toBe(false);
    },
    "servers.setStatus": async ({ servers }, owner, { tenantId }) => {
      const about = { event: event(tenantId), now: start };
      value(await servers.setStatus(tenantId, owner.server.id, "failing", about));
    },
    "credentialTokens.get": async ({ credentialTokens }, owner, { tenantId }) => {
      expect(value(await credentialTokens.get(tenantId, owner.credential.id))).toBeNull();
    },
    "credentialTokens.claim": async ({ credentialTokens }, owner, { tenantId }) => {
      const about = { from: null, lease: "mine", now: start, leaseUntil: start + dayMs };
      expect(value(await credentialTokens.claim(tenantId, owner.credential.id, about))).toBeNull();
    },
    "credentialTokens.save": async ({ credentialTokens }, owner, { tenantId }) => {
      const from = await generationOf(credentialTokens, owner);
      const about = { from, generation: "stolen", sealed: "stolen", expiresAt: null };
      expect(value(await credentialTokens.save(tenantId, owner.credential.id, about))).toBe(false);
    },
    "credentialTokens.fail": async ({ credentialTokens }, owner, { tenantId }) => {
      const from = await generationOf(credentialTokens, owner);
      const about = { from, fault: "invalid_grant", leaseUntil: start + dayMs } as const;
      value(await credentialTokens.fail(tenantId, owner.credential.id, about));
    },
    "credentialTokens.expire": async ({ credentialTokens }, owner, { tenantId }) => {
      const from = await generationOf(credentialTokens, owner);
      value(await credentialTokens.expire(tenantId, owner.credential.id, from));
    },
    "serverTokens.get": async ({ serverTokens }, owner, { tenantId }) => {
      expect(value(await serverTokens.get(tenantId, owner.server.id))).toBeNull();
    },
    "serverTokens.claim": async ({ serverTokens }, owner, { tenantId }) => {
      const about = { from: null, lease: "mine", now: start, leaseUntil: start + dayMs };
      expect(value(await serverTokens.claim(tenantId, owner.server.id, about))).toBeNull();
    },
    "serverTokens.save": async ({ serverTokens }, owner, { tenantId }) => {
      const from = owner.tokens.generation;
      const about = { from, generation: "stolen", sealed: "stolen", expiresAt: null };
      expect(value(await serverTokens.save(tenantId, owner.server.id, about))).toBe(false);
    },
    "serverTokens.fail": async ({ serverTokens }, owner, { tenantId }) => {
      const from = owner.tokens.generation;
      const about = { from, fault: "invalid_grant", leaseUntil: start + dayMs } as const;
      value(await serverTokens.fail(tenantId, owner.server.id, about));
    },
    "serverTokens.replace": async ({ serverTokens }, owner, { tenantId }) => {
      const theirs = tokens(tenantId, owner.server.id, { sealed: "stolen" });
      value(await serverTokens.replace(theirs, { event: event(tenantId), now: start + 1 }));
    },
    "serverTokens.expire": async ({ serverTokens }, owner, { tenantId }) => {
      value(await serverTokens.expire(tenantId, owner.server.id, owner.tokens.generation));
    },
    "userTokens.of": async ({ userTokens }, owner, { tenantId }) => {
      const theirs = userTokens.of(ownerNamed(ownerUser));
      const place = [tenantId, owner.server.id] as const;
      const from = owner.tokens.generation;
      const until = start + dayMs;
      expect(value(await theirs.get(...place))).toBeNull();
      const claim = { from: null, lease: "mine", now: start, leaseUntil: until };
      expect(value(await theirs.claim(...place, claim))).toBeNull();
      const fresh = { from, generation: "stolen", sealed: "stolen", expiresAt: null };
      expect(value(await theirs.save(...place, fresh))).toBe(false);
      value(await theirs.fail(...place, { from, fault: "invalid_grant", leaseUntil: until }));
      value(await theirs.expire(...place, from));
      const stolen = tokens(...place, { sealed: "stolen" });
      value(await theirs.replace(stolen, { event: event(tenantId), now: start + 1 }));
    },
    "userTokens.accountsOf": async ({ userTokens }, _, { tenantId }) => {
      expect(value(await userTokens.accountsOf(tenantId, ownerNamed(ownerUser)))).toEqual([]);
    },
    "userTokens.end": async ({ userTokens }, { server: { id } }, { tenantId }) => {
      const of = { tenantId, owner: ownerNamed(ownerUser), serverId: id };
      value(await userTokens.end(of, event(tenantId)));
    },
    "userTokens.forget": async ({ userTokens }, _, { tenantId }) => {
      value(await userTokens.forget(tenantId, ownerUser));
    },
    "sealedRows.replace": async ({ sealedRows }, owner, { tenantId }) => {
      const { id, sealed } = owner.credential;
      const row = { tenantId, place: id, sealed, fresh: "stolen", context: undefined as never };
      value(await sealedRows.replace("credentials", [row]));
    },
    "sealedRows.recode": async ({ sealedRows }, { who }, { tenantId }) => {
      const theft = { tenantId, place: who.keyId, from: "code", to: "stolen" };
      value(await sealedRows.recode("keys", [theft]));
    },
    "authorizations.create": async ({ authorizations }, owner, { tenantId }) => {
      const theft = await authorizations.create(
        { ...owner.authorization, tenantId },
        event(tenantId),
      );
      expect(theft).toMatchObject({ ok: false, error: { reason: "conflict" } });
    },
    "servers.list": async ({ servers }, _, { tenantId }) => {
      expect(value(await servers.list(tenantId, page))).toEqual(empty);
    },
    "servers.remove": async ({ servers }, owner, { tenantId }) => {
      value(await servers.remove(tenantId, owner.server.id, event(tenantId)));
    },
    "sessions.begin": async ({ sessions }, owner, { tenantId, keyId }) => {
      const theft = await sessions.begin(session(tenantId, keyId, { id: owner.session.id }));
      expect(theft).toMatchObject({ ok: false, error: { reason: "conflict" } });
    },
    "sessions.admit": async ({ sessions }, { who }, { tenantId }) => {
      value(await sessions.admit({ tenantId, keyId: who.keyId }, start));
    },
    "sessions.create": async ({ sessions }, owner, { tenantId, keyId }) => {
      const theft = await sessions.create(session(tenantId, keyId, { id: owner.session.id }));
      expect(theft).toMatchObject({ ok: false, error: { reason: "conflict" } });
    },
    "sessions.get": async ({ sessions }, owner, { tenantId }) => {
      expect(value(await sessions.get(tenantId, owner.session.id))).toBeNull();
    },
    "sessions.list": async ({ sessions }, _, { tenantId }) => {
      expect(value(await sessions.list(tenantId, page))).toEqual(empty);
    },
    "sessions.touch": async ({ sessions }, owner, { tenantId }) => {
      value(await sessions.touch(tenantId, owner.session.id, start + 1, start + dayMs));
    },
    "sessions.holdStream": async ({ sessions }, owner, { tenantId }) => {
      value(
        await sessions.holdStream(tenantId, owner.session.id, { clientStreamUntil: start + 1 }),
      );
    },
    "sessions.bridged": async ({ sessions }, owner, { tenantId }) => {
      const { keyId } = owner.session;
      const about = { tenantId, keyId, serverId: "srv_1", bridgeKey: "k" };
      expect(value(await sessions.bridged(about, start))).toBeNull();
    },
    "sessions.amendBridge": async ({ sessions }, owner, { tenantId }) => {
      value(await sessions.amendBridge(tenantId, owner.session.id, { logLevel: "theirs" }));
    },
    "sessions.park": async ({ sessions }, owner, { tenantId }) => {
      const theirs = { ...owner.session, tenantId };
      const about = { until: start + dayMs, now: start };
      expect(await sessions.park(theirs, about)).toMatchObject({ ok: false });
    },
    "sessions.stayParked": async ({ sessions }, owner, { tenantId }) => {
      value(await sessions.stayParked(tenantId, [owner.session.id], start + dayMs));
    },
    "sessions.end": async ({ sessions }, owner, { tenantId }) => {
      expect(value(await sessions.end(tenantId, owner.session.id, event(tenantId)))).toBe(false);
      expect(value(await sessions.end(tenantId, owner.session.id, null))).toBe(false);
    },
    "consoleSessions.create": async ({ consoleSessions }, owner, { tenantId }) => {
      const theft = { ...owner.consoleSession, tenantId, secretHash: "stolen" };
      expect(await consoleSessions.create(theft, event(tenantId))).toMatchObject({
        ok: false,
        error: { reason: "conflict" },
      });
      // So many that the oldest make room, in the stranger's name for the owner's key.
      for (let made = 0; made < 51; made += 1) {
        const its = consoleSession(tenantId, owner.who.keyId);
        value(await consoleSessions.create(its, event(tenantId)));
      }
    },
    "consoleSessions.end": async (
      { consoleSessions },
      { consoleSession: { id } },
      { tenantId },
    ) => {
      value(await consoleSessions.end({ id, tenantId }, event(tenantId)));
      value(await consoleSessions.end({ id, tenantId: null }, event(null)));
    },
    "events.append": async ({ events }, _, { tenantId }) => {
      value(await events.append(event(tenantId)));
    },
    "cancellations.record": async ({ cancellations }, owner, { tenantId }) => {
      value(await cancellations.record({ ...callOf(owner), tenantId }, start + 1));
    },
    "questions.ask": async ({ questions }, owner, { tenantId, keyId }) => {
      const about = { askedOf: keyId, deadline: start + dayMs };
      value(await questions.ask({ ...askedOf(owner), tenantId }, about));
    },
    "questions.answer": async ({ questions }, owner, { tenantId, keyId }) => {
      const { sessionId } = askedOf(owner);
      for (const who of [
        { tenantId, askedOf: "mine" },
        { tenantId: owner.who.tenantId, askedOf: keyId },
      ])
        expect(
          value(await questions.answer({ ...who, sessionId, id: "q" }, "v1.theirs", start)),
        ).toBe(false);
    },
    "questions.take": async ({ questions }, owner, { tenantId }) => {
      expect(value(await questions.take({ ...askedOf(owner), tenantId }))).toEqual({
        answers: new Map(),
        isOpen: false,
      });
    },
    "questions.receive": async ({ questions }, owner, { tenantId }) => {
      const { sessionId } = askedOf(owner);
      expect(value(await questions.receive({ tenantIds: [tenantId], sessionId }))).toEqual([]);
    },
    "questions.withdraw": async ({ questions }, owner, { tenantId }) => {
      value(await questions.withdraw({ ...askedOf(owner), tenantId }));
    },
    "cancellations.isRecorded": async ({ cancellations }, owner, { tenantId }) => {
      const recorded = await cancellations.isRecorded({ ...callOf(owner), tenantId }, start);
      expect(value(recorded)).toBe(false);
    },
    "health.circuits": async ({ health }, _, { tenantId }) => {
      expect(value(await health.circuits(tenantId))).toEqual([]);
    },
    "health.list": async ({ health }, _, { tenantId }) => {
      expect(value(await health.list(tenantId))).toEqual([]);
    },
    "requests.get": async ({ requests }, owner, { tenantId }) => {
      expect(value(await requests.get(tenantId, owner.settled.opening.id))).toBeNull();
    },
    "requests.list": async ({ requests }, owner, { tenantId }) => {
      const { keyId } = owner.who;
      for (const filter of [{}, { key: keyId }, { session: owner.session.id }])
        expect(value(await requests.list(tenantId, filter, page))).toEqual(empty);
    },
    "requests.countBySession": async ({ requests }, owner, { tenantId }) => {
      const counts = await requests.countBySession(tenantId, [owner.session]);
      expect(value(counts).size).toBe(0);
    },
    "requestFeed.state": async ({ requestFeed }, _, { tenantId }) => {
      expect(value(await requestFeed.state(tenantId))).toEqual({ open: [], last: 0 });
    },
    "requestFeed.changes": async ({ requestFeed }, owner, { tenantId }) => {
      const open = [owner.running.opening.id, owner.settled.opening.id];
      const { records } = value(await requestFeed.changes(tenantId, { open, last: 0 }));
      expect(records).toEqual([]);
    },
    "requestFeed.since": async ({ requestFeed }, _, { tenantId }) => {
      expect(value(await requestFeed.since(tenantId, 0))).toEqual([]);
    },
    "seals.waiting": async ({ seals }, owner, { tenantId }) => {
      expect(value(await seals.waiting(tenantId, Number.MAX_SAFE_INTEGER, 9))).toEqual({
        head: null,
        records: [],
        counter: 0,
        present: [],
        highestSealInRows: 0,
      });
      expect(owner.who.tenantId).not.toBe(tenantId);
    },
    "seals.reopen": async ({ seals }, _, { tenantId }) => {
      value(await seals.reopen(tenantId, 0, event(tenantId)));
    },
    "seals.countWaiting": async ({ seals }, _, { tenantId }) => {
      expect(value(await seals.countWaiting(tenantId))).toEqual({ waiting: 0, unreadable: 0 });
    },
    "seals.append": async (stores, owner, { tenantId }) => {
      // The owner's waiting record, sealed in the stranger's name.
      const { seals } = stores;
      const { signer } = await sealingOn(stores);
      const beside = { key: { ...signer.key, code: "code" }, event: null, notices: [] };
      const { records } = value(
        await seals.waiting(owner.who.tenantId, Number.MAX_SAFE_INTEGER, 9),
      );
      expect(records).toHaveLength(1);
      const [its] = value(await seals.list(owner.who.tenantId, page)).data;
      if (its === undefined) throw new Error("the owner has a seal");
      const theft = { ...its, tenantId, number: 1, count: 1, leaves: "", deletions: null };
      expect(
        value(
          await seals.append(
            theft,
            records.map(({ record }) => record),
            beside,
          ),
        ),
      ).toBe(false);
    },
    "seals.sealsAt": async ({ seals }, _, { tenantId }) => {
      expect(value(await seals.sealsAt([{ tenantId, seal: 1 }]))).toEqual([]);
    },
    "seals.deleteSealed": async ({ seals }, owner, { tenantId }) => {
      const its = value(await seals.oldest()).find(
        (place) => place.tenantId === owner.who.tenantId,
      );
      if (its === undefined) throw new Error("the owner has a sealed record");
      expect(value(await seals.deleteSealed([{ ...its, tenantId }], []))).toBe(0);
    },
    "seals.list": async ({ seals }, _, { tenantId }) => {
      expect(value(await seals.list(tenantId, page))).toEqual(empty);
    },
    "seals.head": async ({ seals }, _, { tenantId }) => {
      expect(value(await seals.head(tenantId))).toBeNull();
    },
    "seals.sealRange": async ({ seals }, _, { tenantId }) => {
      const about = { after: 0, from: undefined, to: undefined };
      expect(value(await seals.sealRange(tenantId, about))).toBeNull();
    },
    "seals.spans": async ({ seals }, _, { tenantId }) => {
      expect(value(await seals.spans(tenantId, { first: 1, last: 9 }, 9))).toEqual([]);
    },
    "seals.read": async ({ seals }, _, { tenantId }) => {
      expect(value(await seals.read(tenantId, { first: 1, last: 9 }))).toEqual({
        seals: [],
        records: [],
        unreadable: [],
      });
    },
    "events.appendOnce": async ({ events }, _, { tenantId }) => {
      value(await events.appendOnce(event(tenantId), 0));
    },
    "events.list": async ({ events }, { who }, { tenantId }) => {
      const tenants = value(await events.list(tenantId, page)).data.map((each) => each.tenantId);
      expect(tenants).not.toContain(who.tenantId);
      expect(new Set(tenants)).toEqual(new Set([tenantId]));
    },
    "ledger.admit": async ({ ledger }, owner, stranger) => {
      // The owner's request id, and then the owner's session, in the stranger's name.
      const plain = reservation(stranger, start);
      const { id } = owner.running.opening;
      const theft = await ledger.admit({ ...plain, opening: { ...plain.opening, id } });
      expect(value(theft)).toEqual({ state: "stale" });
      const { id: sessionId } = owner.session;
      const ride = await ledger.admit(reservation(stranger, start, { sessionId }));
      expect(value(ride)).toEqual({ state: "stale" });
      // The stranger's own counters are changed, though the hold names the owner as subject.
      const [tenantHold] = owner.running.limitChecks;
      if (tenantHold === undefined) throw new Error("the owner has limits");
      value(await ledger.admit(reservation(stranger, start, { limitChecks: [tenantHold] })));
    },
    "ledger.settle": async ({ ledger }, owner, { tenantId }) => {
      const ended = settlement(owner.running, start, {
        tenantId,
        chargedTokens: 0,
        captured: "stolen",
      });
      expect(value(await ledger.settle(ended))).toBe(false);
    },
    "ledger.settleSwept": async ({ ledger }, owner, { tenantId }) => {
      const ended = settlement(owner.lost, start, { tenantId, chargedMicroUsd: 0 });
      expect(value(await ledger.settleSwept(ended, event(tenantId)))).toBe(false);
    },
    "ledger.findOpen": async ({ ledger }, owner, { tenantId }) => {
      const { id } = owner.running.opening;
      expect(value(await ledger.findOpen([{ tenantId, id }]))).toEqual([]);
      expect(value(await ledger.findOpen([{ tenantId: owner.who.tenantId, id }]))).toEqual([id]);
    },
    "ledger.runningOf": async ({ ledger }, owner, { tenantId }) => {
      const mine = owner.who.tenantId;
      expect(value(await ledger.runningOf([tenantId], start)).has(mine)).toBe(false);
      expect(value(await ledger.runningOf([mine], start)).has(mine)).toBe(true);
    },
    "ledger.renew": async ({ ledger }, owner, { tenantId }) => {
      value(await ledger.renew(tenantId, [owner.running.opening.id], start + 1_000_000));
    },
    "ledger.correct": async ({ ledger }, owner, { tenantId }) => {
      const its = { tenantId, id: owner.lost.opening.id, correction: correction() };
      expect(value(await ledger.correct(its, event(tenantId)))).toBe(false);
    },
    "idempotency.find": async ({ idempotency }, owner, { tenantId, keyId }) => {
      const its = { ...owner.who, serverId: null, key: idempotencyKey };
      expect(value(await idempotency.find(its, start))).not.toBeNull();
      for (const theirs of [{ tenantId }, { keyId }, { tenantId, keyId }])
        expect(value(await idempotency.find({ ...its, ...theirs }, start))).toBeNull();
    },
    "idempotency.countReplay": async ({ idempotency }, owner, { tenantId }) => {
      const its = { ...owner.who, tenantId, serverId: null, key: idempotencyKey };
      value(await idempotency.countReplay(its));
    },
    "idempotency.addKey": async ({ idempotency }, owner, { tenantId, keyId }) => {
      const its = { ...owner.who, serverId: null, key: idempotencyKey };
      for (const theirs of [{ tenantId }, { keyId }, { tenantId, keyId }])
        value(await idempotency.addKey({ ...its, ...theirs }, "another"));
      expect(value(await idempotency.find({ ...its, key: "another" }, start))).toBeNull();
      const stolen = { ...its, tenantId, keyId, key: "another" };
      expect(value(await idempotency.find(stolen, start))).toBeNull();
    },
    "idempotency.moveKey": async ({ idempotency }, owner, { tenantId, keyId }) => {
      const its = { ...owner.who, serverId: null, key: idempotencyKey };
      for (const theirs of [{ tenantId }, { keyId }, { tenantId, keyId }])
        expect(
          value(await idempotency.moveKey({ ...its, ...theirs }, "another", start)),
        ).toBeNull();
    },
    "idempotency.isPrefixTaken": async ({ idempotency }, owner, { tenantId, keyId }) => {
      const its = { ...owner.who, serverId: null, keyPrefix: idempotencyKey.slice(0, 9) };
      expect(value(await idempotency.isPrefixTaken(its, start))).toBe(true);
      for (const theirs of [{ tenantId }, { keyId }, { tenantId, keyId }])
        expect(value(await idempotency.isPrefixTaken({ ...its, ...theirs }, start))).toBe(false);
    },
    "idempotency.recordDelivery": async ({ idempotency }, owner, { tenantId }) => {
      const { id: requestId } = owner.settled.opening;
      value(await idempotency.recordDelivery({ tenantId, requestId }, 200));
    },
    "approvals.count": async ({ approvals }, owner, { tenantId }) => {
      const its = { keyId: owner.who.keyId, serverId: null };
      expect(value(await approvals.count({ ...its, tenantId }))).toMatchObject({
        key: 0,
        tenant: 0,
      });
      const { tenantId: own } = owner.who;
      expect(value(await approvals.count({ ...its, tenantId: own }))).toMatchObject({ tenant: 1 });
    },
    "approvals.find": async ({ approvals }, owner, stranger) => {
      expect(value(await approvals.find(heldPlaceOf(owner, stranger)))).toBeNull();
      expect(value(await approvals.find(heldPlaceOf(owner, owner.who)))).not.toBeNull();
    },
    "approvals.list": async ({ approvals }, owner, { tenantId }) => {
      const asked = { ...page, state: null };
      expect(value(await approvals.list(tenantId, asked))).toEqual(empty);
      expect(value(await approvals.list(owner.who.tenantId, asked)).data).toHaveLength(1);
    },
    "approvals.approvedOf": async ({ approvals }, owner, { tenantId }) => {
      const { requestId } = heldPlaceOf(owner, owner.who);
      // The owner's own waits, and `approvals.suite.ts` shows one that was approved.
      for (const id of [tenantId, owner.who.tenantId])
        expect(value(await approvals.approvedOf(id, [requestId])).size).toBe(0);
    },
    "approvals.content": async ({ approvals }, owner, stranger) => {
      const theirs = heldPlaceOf(owner, stranger);
      expect(value(await approvals.content(theirs, "request"))).toBeNull();
      const its = heldPlaceOf(owner, owner.who);
      expect(value(await approvals.content(its, "request"))).toBe("v1.shown");
    },
    "approvals.decide": async ({ approvals }, owner, stranger) => {
      const decided = await approvals.decide(
        {
          ...heldPlaceOf(owner, stranger),
          stage: "request",
          state: "approved",
          contentHash,
          by: stranger.keyId,
          bySubject: null,
          isOwn: false,
          comment: null,
          edited: null,
          now: start,
        },
        event(stranger.tenantId),
      );
      expect(value(decided)).toEqual({ state: "conflict" });
    },
    "approvals.resume": async ({ approvals }, owner, stranger) => {
      const resumed = await approvals.resume({
        ...heldPlaceOf(owner, stranger),
        stage: "request",
        now: start,
        leaseUntil: start + 1,
        decision: decision(),
        limitChecks: [],
        tenantVersion: 2,
      });
      expect(value(resumed)).toEqual({ state: "gone" });
    },
    "approvals.holdResult": async ({ approvals }, owner, stranger) => {
      const place = { ...heldPlaceOf(owner, stranger), keyId: stranger.keyId, now: start };
      expect(value(await approvals.holdResult(place, waiting))).toBe(false);
    },
    "approvals.withdraw": async ({ approvals }, owner, stranger) => {
      expect(value(await approvals.withdraw(heldPlaceOf(owner, stranger), start))).toBe(false);
    },
    "approvals.close": async ({ approvals }, owner, stranger) => {
      value(await approvals.close(heldPlaceOf(owner, stranger)));
    },
    "alerts.list": async ({ alerts }, owner, { tenantId }) => {
      expect(value(await alerts.list(tenantId, page))).toEqual(empty);
      expect(value(await alerts.list(owner.who.tenantId, page)).data).toHaveLength(1);
    },
    "alerts.attention": async ({ alerts }, { who }, { tenantId }) => {
      expect(value(await alerts.attention(tenantId, start))).toEqual(noAttention);
      expect(value(await alerts.attention(who.tenantId, start))).not.toEqual(noAttention);
    },
    "alerts.tenant": async ({ alerts }, { who }, { tenantId }) => {
      const [own, theirs] = [await alerts.tenant(who.tenantId), await alerts.tenant(tenantId)];
      expect(value(theirs)?.slug).not.toBe(value(own)?.slug);
    },
    "alerts.raise": async ({ alerts }, owner, { tenantId }) => {
      const [own] = value(await alerts.list(owner.who.tenantId, page)).data;
      const theirs = { ...alertOf(tenantId, owner.credential.id), id: own?.id ?? "" };
      const message = { url: "https://hooks.test/theirs", body: "{}" };
      value(await alerts.raise(theirs, event(tenantId), [message]));
      const told = async (whose: string) =>
        value(await alerts.list(whose, page)).data.flatMap(({ deliveries }) => deliveries);
      expect(await told(tenantId)).toHaveLength(1);
      expect(await told(owner.who.tenantId)).toEqual([]);
    },
    "webhooks.note": async ({ webhooks }, owner, { tenantId }) => {
      const noted = { tenantId, id: messageOf(owner), attempts: 0, nextAt: null, now: start };
      value(await webhooks.note({ ...noted, state: "failed", status: 410, fault: "No." }, null));
    },
    "webhooks.list": async ({ webhooks }, owner, { tenantId }) => {
      expect(value(await webhooks.list(tenantId, page))).toEqual(empty);
      expect(value(await webhooks.list(owner.who.tenantId, page)).data).toHaveLength(1);
    },
    "webhooks.secrets": async ({ webhooks }, owner, { tenantId }) => {
      expect(value(await webhooks.secrets(tenantId, start))).toEqual([]);
      expect(value(await webhooks.secrets(owner.who.tenantId, start))).toHaveLength(2);
    },
    "webhooks.rotate": async ({ webhooks }, _, { tenantId }) => {
      const fresh = { destination: null, sealed: "v1.theirs", createdAt: start };
      const secret = { id: newId("webhook"), tenantId, ...fresh };
      value(await webhooks.rotate(secret, start + 1, event(tenantId)));
    },
    "webhooks.replaceHeader": async ({ webhooks }, _, { tenantId }) => {
      const fresh = { destination: "https://a.test", sealed: "v1.theirs", createdAt: start };
      const header = { id: newId("webhook"), tenantId, ...fresh };
      value(await webhooks.replaceHeader(header, header, event(tenantId)));
      value(await webhooks.replaceHeader(header, null, event(tenantId)));
    },
    "limits.sum": async ({ limits }, { who }, { tenantId }) => {
      const scopes = [
        { scope: "tenant", subject: who.tenantId, limits: { usdPerDay: 1 } },
      ] as const;
      const limitChecks = limitChecksOf({ now: start, scopes, tokens: 0, microUsd: 0 });
      expect(value(await limits.sum(tenantId, limitChecks, start))).toMatchObject([{ counted: 0 }]);
    },
    "topUsage.top": async ({ topUsage }, { who }, { tenantId }) => {
      for (const by of usageGroupings) {
        const asked = { by, from: 0, to: start + dayMs, limit: 9 };
        expect(value(await topUsage.top(tenantId, asked)).rows).toEqual([]);
        expect(value(await topUsage.top(who.tenantId, asked)).rows).not.toEqual([]);
      }
    },
    "topUsage.limitsOf": async ({ topUsage }, { who, ...its }, { tenantId }) => {
      expect(value(await topUsage.limitsOf(tenantId, [who.keyId, its.server.id]))).toEqual({});
    },
    "limits.nodes": async ({ limits }, { who }, { tenantId }) => {
      expect(value(await limits.nodes(tenantId, { limit: 9 }))).toEqual([]);
      expect(value(await limits.nodes(who.tenantId, { limit: 9 }))).toEqual(["tag:mine"]);
    },
    "names.of": async ({ names }, { who }, { tenantId }) => {
      const ids = [who.keyId, who.tenantId];
      expect(value(await names.of(tenantId, ids))).toEqual({});
      expect(Object.keys(value(await names.of(who.tenantId, ids)))).toContain(who.keyId);
    },
    "names.ofAll": async ({ names }, { who }, { tenantId }) => {
      const own = [who.tenantId, who.keyId] as const;
      expect(value(await names.ofAll([[tenantId, who.keyId]]))).toEqual({});
      expect(Object.keys(value(await names.ofAll([own])))).toEqual([who.keyId]);
    },
    "users.get": async ({ users }, owner, { tenantId }) => {
      expect(value(await users.get(tenantId, owner.user.id))).toBeNull();
      expect(value(await users.get(owner.who.tenantId, owner.user.id))).toEqual(owner.user);
    },
    "users.byFinder": async ({ users }, owner, { tenantId }) => {
      expect(value(await users.byFinder(tenantId, owner.user.finder))).toBeNull();
      expect(value(await users.byFinder(owner.who.tenantId, owner.user.finder))).toEqual(
        owner.user,
      );
    },
    "users.list": async ({ users }, owner, { tenantId }) => {
      expect(value(await users.list(tenantId, page))).toEqual(empty);
      expect(value(await users.list(owner.who.tenantId, page)).data).toEqual([owner.user]);
    },
    "users.finderKey": async ({ users }, owner, { tenantId }) => {
      expect(value(await users.finderKey(tenantId))).toBeNull();
      expect(value(await users.finderKey(owner.who.tenantId))).toBe("v1.key");
    },
    "users.keepFinderKey": async ({ users }, _owner, { tenantId }) => {
      value(await users.keepFinderKey({ tenantId, sealed: "v1.theirs", createdAt: start }));
    },
    "users.create": async ({ users }, { user, userKey }, { tenantId }) => {
      const same = { ...user, tenantId };
      value(await users.create(same, { ...userKey, tenantId, userId: user.id }, event(tenantId)));
    },
    "users.change": async ({ users }, { user }, { tenantId }) => {
      value(await users.change(tenantId, user.id, { name: "Theirs" }));
    },
    "users.keysOf": async ({ users }, { user, who }, { tenantId }) => {
      expect(value(await users.keysOf(tenantId, user.id))).toEqual([]);
      expect(value(await users.keysOf(who.tenantId, user.id))).toHaveLength(1);
    },
    "users.forget": async ({ users }, { user }, { tenantId }) => {
      const keys = [{ id: user.keyId, name: "Theirs", code: "other", revokedAt: start }];
      value(await users.forget({ tenantId, id: user.id, keys }, event(tenantId)));
    },
    "usage.read": async ({ usage }, owner, { tenantId }) => {
      for (const by of ["key", "endpoint"] as const) {
        const all = { from: 0, to: start + dayMs, bucket: "hour", by, limit: 9 } as const;
        expect(value(await usage.read(tenantId, all))).toEqual([]);
        expect(value(await usage.read(owner.who.tenantId, all))).not.toEqual([]);
      }
    },
    "signIns.get": async ({ signIns }, owner, { tenantId }) => {
      expect(value(await signIns.get(tenantId))).toBeNull();
      expect(value(await signIns.get(owner.who.tenantId))).toEqual(signInOf(owner.who.tenantId));
    },
    "signIns.put": async ({ signIns }, _owner, { tenantId }) => {
      value(await signIns.put(signInOf(tenantId), event(tenantId)));
    },
    "signIns.remove": async ({ signIns }, _owner, { tenantId }) => {
      value(await signIns.remove(tenantId, event(tenantId)));
    },
    "oauthEntries.get": async ({ oauthEntries }, owner, { tenantId }) => {
      expect(value(await oauthEntries.get(tenantId, ["grant:a"], start))).toEqual([]);
      expect(value(await oauthEntries.get(owner.who.tenantId, ["grant:a"], start))).toHaveLength(1);
    },
    "oauthEntries.change": async ({ oauthEntries }, _owner, { tenantId }) => {
      value(await oauthEntries.change(grantEntryOf(tenantId), start));
      const gone = { ...grantEntryOf(tenantId), value: null, ifVersion: "any" } as const;
      value(await oauthEntries.change(gone, start));
    },
    "oauthEntries.list": async ({ oauthEntries }, _owner, { tenantId }) => {
      const all = { prefix: "", after: "", limit: 9 };
      expect(value(await oauthEntries.list(tenantId, all, start))).toEqual([]);
    },
    "oauthEntries.count": async ({ oauthEntries }, _owner, { tenantId }) => {
      expect(value(await oauthEntries.count(tenantId, { prefix: "", max: 9 }, start))).toBe(0);
    },
    "oauthEntries.evict": async ({ oauthEntries }, _owner, { tenantId }) => {
      const all = { prefix: "", endsBy: Number.MAX_SAFE_INTEGER };
      expect(value(await oauthEntries.evict(tenantId, all, start))).toBe(false);
    },
    "latencies.callsAfter": async ({ latencies }, _owner, { tenantId }) => {
      const found = await latencies.callsAfter({ tenantId, seal: 0, position: -1 }, 9);
      expect(value(found)).toMatchObject({ calls: [], passed: 0 });
    },
    "latencies.count": async ({ latencies }, owner, { tenantId }) => {
      const row = { width: 3_600, by: "key", at: 0, group: owner.who.keyId } as const;
      const histogram = histogramOfCalls([{ total: 1, provider: 1, overhead: 0 }]);
      const from = { tenantId, seal: 0, position: -1 };
      const counted = { rows: [{ ...row, histogram }], grouped: [], now: start };
      value(await latencies.count(from, { ...from, seal: 1 }, counted));
    },
    "latencies.read": async ({ latencies }, owner, { tenantId }) => {
      const asked = { from: 0, to: start + dayMs, bucket: "hour", by: "model" } as const;
      expect(value(await latencies.read(owner.who.tenantId, asked))).not.toEqual([]);
      expect(value(await latencies.read(tenantId, asked))).toEqual([]);
    },
    "ledger.refuse": async ({ ledger }, owner, stranger) => {
      const { id } = owner.running.opening;
      value(await ledger.refuse({ ...opening(stranger), id }, "internal", null, decision()));
      expect(
        value(await ledger.refuse({ ...opening(stranger) }, "internal", null, null)),
      ).toBeNull();
    },
  };

export const isolationSuite = (backend: Backend): void => {
  describe("isolation", () => {
    async function ownedIn({ db, stores }: World): Promise<Owned> {
      const who = await caller(stores, {
        tenantLimits: { tokensPerMinute: 1_000 },
        keyLimits: { requestsPerMinute: 10 },
      });
      const { tenantId, keyId } = who;
      const registered = server(tenantId);
      const its = {
        who,
        credential: credential(tenantId, { status: "failing" }),
        server: registered,
        tokens: tokens(tenantId, registered.id),
        authorization: authorization(tenantId, registered.id),
        session: session(tenantId, keyId, {
          serverId: "srv_1",
          upstreamId: "up",
          bridge: { to: "legacy", key: "k", initialized: {} },
        }),
        consoleSession: consoleSession(tenantId, keyId),
        settled: named(
          reservation(who, start, { idempotency: { key: idempotencyKey, expiresAt } }),
          { groups: ["eng"], tag: "nightly" },
        ),
        running: reservation(who, start, {
          nodes: [{ scope: "tag", subject: "tag:mine", limits: { requestsPerDay: 9 } }],
        }),
        lost: reservation(who, start - dayMs),
        held: reservation(who, start, { leaseUntil: null, approval: waiting }),
        ...userOf(who.tenantId),
      };
      value(await stores.ledger.admit(its.lost));
      value(await stores.ledger.sweep(start - 1));
      value(await stores.ledger.admit(its.settled));
      value(
        await stores.ledger.settle(
          settlement(its.settled, start, {
            captured: "v1.mine",
            result: { parts: ["v1.result"], expiresAt },
            health: [seen(its.credential.id)],
            circuits: [
              {
                closes: [],
                fault: { scope: "endpoint openai", began: start, at: start, retryAfterMs: null },
              },
            ],
          }),
        ),
      );
      await sealAll(stores, tenantId);
      value(await stores.sinks.claim({ now: start, until: start + 1, limit: 99, max: 8 }));
      value(await createLatencyJob({ latencies: stores.latencies, now: () => start })());
      value(
        await db.write([
          raw(sql`insert into unreadable_records values (${tenantId}, 'req_1', 'test', ${start})`),
        ]),
      );
      // A finished record that waits to be sealed.
      value(await stores.ledger.refuse(opening(who), "internal", null, null));
      value(await stores.ledger.admit(its.running));
      expect(value(await stores.ledger.admit(its.held)).state).toBe("admitted");
      value(await stores.credentials.create(its.credential, event(tenantId)));
      const claim = { from: null, lease: "mine", now: start, leaseUntil: start + 1 };
      value(await stores.credentialTokens.claim(tenantId, its.credential.id, claim));
      value(await stores.servers.create(its.server, event(tenantId)));
      const granted = { event: event(tenantId), now: start };
      value(await stores.serverTokens.replace(its.tokens, granted));
      const own = { event: event(tenantId), now: start };
      value(await stores.userTokens.of(ownerNamed(ownerUser)).replace(its.tokens, own));
      value(await stores.authorizations.create(its.authorization, event(tenantId)));
      value(await stores.sessions.create(its.session));
      value(await stores.consoleSessions.create(its.consoleSession, event(tenantId)));
      value(await stores.signIns.put(signInOf(tenantId), event(tenantId)));
      value(await stores.oauthEntries.change(grantEntryOf(tenantId), start));
      value(await stores.users.keepFinderKey({ tenantId, sealed: "v1.key", createdAt: start }));
      expect(value(await stores.users.create(its.user, its.userKey, event(tenantId)))).toBe(true);
      value(await stores.cancellations.record(callOf(its), start));
      const about = { askedOf: "mine", deadline: start + dayMs, content: "v1.mine" };
      value(await stores.questions.ask(askedOf(its), about));
      const fresh = { destination: null, sealed: "v1.mine", createdAt: start };
      const secret = { id: newId("webhook"), tenantId, ...fresh };
      value(await stores.webhooks.rotate(secret, start, event(tenantId)));
      const header = { ...secret, id: newId("webhook"), destination: "https://a.test" };
      value(await stores.webhooks.replaceHeader(header, header, event(tenantId)));
      value(await stores.alerts.raise(alertOf(tenantId, its.credential.id), event(tenantId), []));
      const override = { provider: "openai", id: "gpt", change: { name: "Mine" } };
      value(await stores.overrides.put(tenantId, override, start, event(tenantId)));
      return its;
    }

    /** Every row that a tenant has anywhere. */
    async function everythingOf(
      { db }: World,
      tenantId: string,
      tables: readonly string[] = ownedTables,
    ) {
      const queries = [
        ...tables.map(
          (table) => sql`select * from ${sql.identifier(table)} where tenant_id = ${tenantId}`,
        ),
        sql`select * from tenants where id = ${tenantId}`,
      ];
      const rows = value(await db.write(queries.map(raw)));
      return rows.map((table) => table.map((row) => ({ ...row })));
    }

    describe("of one owner from many strangers", () => {
      // A hundred rows make an owner, and no attempt may change one of them: so all meet the same owner.
      const world = givenWorld(backend, "all tests");
      let untouched: Owned | null = null;
      const allOf = ({ who }: Owned) =>
        everythingOf(world, who.tenantId, [...ownedTables, "admin_events"]);

      it("has an attempt for every method of every store that names a tenant", () => {
        const methods = Object.entries(world.stores).flatMap(([store, of]) =>
          Object.keys(of).map((method) => `${store}.${method}`),
        );
        expect([...Object.keys(attempts), ...nameNoTenant].toSorted()).toEqual(methods.toSorted());
      });

      it.each(Object.keys(attempts))("keeps strangers out: %s", async (method) => {
        const owner = untouched ?? (await ownedIn(world));
        // After an attempt that went too far, the next stranger meets another owner.
        untouched = null;
        const stranger = await caller(world.stores);
        const before = await allOf(owner);
        for (const rows of before) expect(rows).not.toEqual([]);
        await attempts[method]?.(world.stores, owner, stranger);
        expect(await allOf(owner)).toEqual(before);
        untouched = owner;
      });
    });

    describe("of an owner in a database of its own", () => {
      const world = givenWorld(backend);

      it("can still settle and capture what a stranger tried to settle", async () => {
        const owner = await ownedIn(world);
        const stranger = await caller(world.stores);
        await attempts["ledger.settle"]?.(world.stores, owner, stranger);
        const ended = settlement(owner.running, start, { captured: "v1.mine" });
        expect(value(await world.stores.ledger.settle(ended))).toBe(true);
        const { tenantId } = owner.who;
        expect(
          value(await world.stores.requests.get(tenantId, owner.running.opening.id)),
        ).toMatchObject({ content: "v1.mine" });
      });

      it("hands a snapshot the key's own tenant, and no one else's session", async () => {
        const owner = await ownedIn(world);
        const stranger = await caller(world.stores);
        const loaded = value(
          await world.stores.snapshots.load(stranger.keyId, owner.session.id, start),
        );
        expect(loaded.session).toBeNull();
        expect(loaded.snapshot).toMatchObject({
          tenant: { id: stranger.tenantId },
          key: { id: stranger.keyId, tenantId: stranger.tenantId },
          credentials: [],
          overrides: [],
        });
      });

      it("removes a tenant with everything that it owns, and leaves its events", async () => {
        const owner = await ownedIn(world);
        const { tenantId } = owner.who;
        value(await world.stores.tenants.remove(tenantId, event(tenantId, "tenant.removed")));
        for (const rows of await everythingOf(world, tenantId)) expect(rows).toEqual([]);
        const events = value(await world.stores.events.list(tenantId, page)).data;
        expect(events[0]?.action).toBe("tenant.removed");
        expect(events.length).toBeGreaterThan(3);
      });

      it("knows every table that a tenant owns", async () => {
        const rows = value(
          await world.db.write([
            raw(sql`select name from sqlite_master
              where type = 'table' and sql like '%' || char(96) || 'tenant_id' || char(96) || ' %'`),
          ]),
        )[0];
        expect((rows ?? []).map(({ name }) => name).toSorted()).toEqual(
          // A placement is the directory's, and of another database. Its release takes the delivered usage with it:
          // `pipeline/admin/tenants/removal.ts`.
          [
            ...ownedTables,
            "admin_events",
            "placements",
            "delivered_usage",
            "delivered_latencies",
          ].toSorted(),
        );
      });
    });
  });
};
