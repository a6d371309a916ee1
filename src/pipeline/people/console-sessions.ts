import { actorName, isExpired, type Actor, type StoredKey } from "../../domain/tenancy/access.ts";
import {
  codedProof,
  codedSession,
  type ConsoleSession,
  type StoredConsoleSession,
} from "../../domain/tenancy/console-session.ts";
import type {
  ConsoleSessionStore,
  FoundConsoleSession,
} from "../../domain/ports/console-sessions.ts";
import type { EventStore, KeyTokens, Snapshots } from "../../domain/ports/stores.ts";
import type { AdminEvent } from "../../domain/admin-event.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import type { StoredSignIn } from "../../domain/tenancy/sign-in.ts";
import type { NoteRejected } from "../../domain/tenancy/rejected-row.ts";
import type { Identity } from "../../domain/tenancy/user.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import { roleOf, type Role } from "../../domain/tenancy/scopes.ts";
import type { Authenticate } from "../callers/authenticate.ts";
import type { NoteFailedSignIn } from "./failed-sign-ins.ts";
import type { KeyCodes } from "../callers/key-codes.ts";
import type { SignInThrottle, SignInTry } from "./sign-in-throttle.ts";

/** ms: a working day. */
const sessionMs = 12 * 3_600_000;

export interface OpenConsoleSession {
  id: string;
  actor: Actor;
  role: Role;
  name: string | null;
  tenant: string | null;
  /** must accompany changes */
  csrf: string;
  expiresAt: number;
}

interface SignedIn {
  kind: ConsoleSession["kind"];
  subject: string;
  issuer: string | null;
  name: string | null;
  tenantId: string | null;
  slug: string | null;
  role: Role;
  actor: Actor;
  proof: string;
}

export interface NewConsoleSession {
  token: string;
  seconds: number;
  session: OpenConsoleSession;
}

export interface Person {
  name: string;
  identity: Identity;
  role: Role;
  tenant: { id: string; slug: string } | null;
  /** `null`: the operator's */
  userId: string | null;
}

export interface ConsoleSessions {
  /** @param proof of the settings that admitted the person */
  signInPerson(person: Person, proof: string): AsyncResult<NewConsoleSession>;
  signIn(given: { key: string; address: string }): AsyncResult<NewConsoleSession>;
  /** Only if the credentials behind it are unchanged. */
  find(token: string): AsyncResult<OpenConsoleSession>;
  end(session: OpenConsoleSession): AsyncResult<null>;
}

interface ConsoleSessionDeps {
  consoleSessions: ConsoleSessionStore;
  events: Pick<EventStore, "append">;
  snapshots: Snapshots;
  authenticate: Authenticate;
  keyTokens: Pick<KeyTokens, "keyIdOf">;
  sessionTokens: KeyTokens;
  mac: Mac;
  rejected: NoteRejected;
  keyCodes: Pick<KeyCodes, "isKnown">;
  isOperator: (token: string) => Promise<boolean>;
  /** changes with the operator's token */
  operatorProof: () => Promise<string>;
  /** Of the identity provider's settings; `null` if they are missing or no key opens them. */
  signInProof: (of: StoredSignIn | null | "operator") => Promise<string | null>;
  csrfOf: (token: string) => Promise<string>;
  throttle: SignInThrottle;
  noteFailed: NoteFailedSignIn;
  ids: Ids;
  now: () => number;
}

const noSession: Refusal = {
  reason: "unauthorized",
  detail: "There is no such console session, or it has ended: sign in.",
};

const ofKey = (key: StoredKey, slug: string | null): SignedIn | null => {
  const { id, name, tenantId, scopes, expiresAt, secretHash } = key;
  const role = roleOf(scopes);
  if (role === null) return null;
  const actor: Actor = { kind: "key", keyId: id, tenantId, role, expiresAt };
  const who = { kind: "key", subject: id, issuer: null, name } as const;
  return { ...who, tenantId, slug, role, actor, proof: secretHash };
};

async function ofOperator({
  operatorProof,
}: Pick<ConsoleSessionDeps, "operatorProof">): Promise<SignedIn> {
  const actor: Actor = { kind: "operator" };
  const proof = await operatorProof();
  const nobody = { issuer: null, name: null, tenantId: null, slug: null };
  return { kind: "operator", subject: "operator", ...nobody, role: "admin", actor, proof };
}

const ofPerson = (
  { name, identity, role, tenant }: Omit<Person, "userId">,
  proof: string,
): SignedIn => {
  const who = { kind: "person", ...identity, name, role, proof } as const;
  if (tenant === null) {
    const actor: Actor = { kind: "operator", person: { name, role, identity } };
    return { ...who, tenantId: null, slug: null, actor };
  }
  const actor: Actor = { kind: "person", name, tenantId: tenant.id, role, identity };
  return { ...who, tenantId: tenant.id, slug: tenant.slug, actor };
};

async function signedInBy(deps: ConsoleSessionDeps, key: string): AsyncResult<SignedIn> {
  if (await deps.isOperator(key)) return ok(await ofOperator(deps));
  const claim = { token: key, sessionId: null, scope: "role" } as const;
  const caller = await deps.authenticate(claim, "database");
  if (!caller.ok) return caller;
  const { snapshot } = caller.value;
  const known = ofKey(snapshot.key, snapshot.tenant.slug);
  return known === null ? err(noSession) : ok(known);
}

/** `null` if the credentials behind the session are gone. */
async function restsOn(
  deps: ConsoleSessionDeps,
  { session, key, slug, signIn }: FoundConsoleSession,
): Promise<SignedIn | null> {
  if (session.kind === "operator") return ofOperator(deps);
  if (session.kind === "person") {
    const { tenantId, subject, issuer, name, role } = session;
    const proof = await deps.signInProof(tenantId === null ? "operator" : signIn);
    if (proof === null || (tenantId !== null && slug === null)) return null;
    const tenant = tenantId === null ? null : { id: tenantId, slug: slug ?? "" };
    const identity = { issuer: issuer ?? "", subject };
    return ofPerson({ name: name ?? "", identity, role, tenant }, proof);
  }
  if (key === null || key.revokedAt !== null || isExpired(key, deps.now())) return null;
  return (await deps.keyCodes.isKnown(key)) ? ofKey(key, slug) : null;
}

const openedAs = async (
  { csrfOf }: Pick<ConsoleSessionDeps, "csrfOf">,
  token: string,
  { session, who }: { session: ConsoleSession; who: SignedIn },
): Promise<OpenConsoleSession> => ({
  id: session.id,
  actor: who.actor,
  role: who.role,
  name: who.name,
  tenant: who.slug,
  csrf: await csrfOf(token),
  expiresAt: session.expiresAt,
});

const eventOf = (
  { ids, now }: Pick<ConsoleSessionDeps, "ids" | "now">,
  what: Pick<AdminEvent, "actor" | "action" | "tenantId" | "target" | "detail">,
): AdminEvent => ({ id: ids.next("event"), at: now(), ...what });

async function noteFailure(
  deps: ConsoleSessionDeps,
  { keyId, address }: { keyId: string | null; address: string },
  attempt: SignInTry,
): Promise<void> {
  const loaded = keyId === null ? null : await deps.snapshots.load(keyId, null, deps.now());
  const tenantId = loaded?.ok === true ? (loaded.value.snapshot?.tenant.id ?? null) : null;
  await deps.noteFailed({ tenantId, target: keyId ?? "operator", address }, attempt);
}

async function begin(
  deps: ConsoleSessionDeps,
  who: SignedIn,
  { userId = null, address }: { userId?: string | null; address?: string },
): AsyncResult<NewConsoleSession> {
  const createdAt = deps.now();
  const { kind, subject, issuer, tenantId, role, actor, proof } = who;
  const until = actor.kind === "key" ? actor.expiresAt : null;
  const id = deps.ids.next("console");
  const { token, secretHash } = await deps.sessionTokens.mint(id);
  const session: Omit<StoredConsoleSession, "code"> = {
    id,
    tenantId,
    kind,
    subject,
    issuer,
    name: kind === "person" ? who.name : null,
    userId,
    role,
    createdAt,
    secretHash,
    proof: await deps.mac.code(codedProof(id, proof)),
    expiresAt: Math.min(createdAt + sessionMs, until ?? Infinity),
  };
  const code = await deps.mac.code(codedSession(session));
  const event = eventOf(deps, {
    actor: actorName(actor),
    action: "access.sign_in",
    tenantId,
    target: id,
    // Of people, the identity provider knows it, and erasing a person keeps events.
    detail: { role, ...(address !== undefined && { address }) },
  });
  const created = await deps.consoleSessions.create({ ...session, code }, event);
  if (!created.ok) return created;
  const seconds = Math.floor((session.expiresAt - createdAt) / 1_000);
  return ok({ token, seconds, session: await openedAs(deps, token, { session, who }) });
}

export const createConsoleSessions = (deps: ConsoleSessionDeps): ConsoleSessions => ({
  async signIn({ key, address }) {
    const keyId = deps.keyTokens.keyIdOf(key);
    const attempt = deps.throttle.begin({ address, subject: keyId ?? "operator" });
    if (!attempt.ok) return attempt;
    const who = await signedInBy(deps, key);
    if (attempt.value.failedBy(who)) await noteFailure(deps, { keyId, address }, attempt.value);
    return who.ok ? begin(deps, who.value, { address }) : who;
  },

  signInPerson: (person, proof) => begin(deps, ofPerson(person, proof), { userId: person.userId }),

  async find(token) {
    const id = deps.sessionTokens.keyIdOf(token);
    if (id === null) return err(noSession);
    const found = await deps.consoleSessions.find(id, deps.now());
    if (!found.ok) return found;
    const session = found.value?.session;
    if (found.value === null || session === undefined) return err(noSession);
    if (!(await deps.sessionTokens.matches(token, session.secretHash))) return err(noSession);
    if (!(await deps.mac.check(codedSession(session), session.code))) {
      await deps.rejected({ tenantId: session.tenantId, table: "console_sessions", id });
      return err(noSession);
    }
    const who = await restsOn(deps, found.value);
    const isSame =
      who !== null &&
      who.role === session.role &&
      (await deps.mac.check(codedProof(id, who.proof), session.proof));
    return isSame ? ok(await openedAs(deps, token, { session, who })) : err(noSession);
  },

  end: ({ id, actor }) => {
    const tenantId = actor.kind === "operator" ? null : actor.tenantId;
    const action = "access.sign_out";
    const event = { actor: actorName(actor), action, tenantId, target: id, detail: {} };
    return deps.consoleSessions.end({ id, tenantId }, eventOf(deps, event));
  },
});
