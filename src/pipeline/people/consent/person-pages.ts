import type { AuthorizationServer, Grant } from "../../../domain/ports/authorization-server.ts";
import type {
  OwnAccount,
  ServerStore,
  UserTokenStore,
} from "../../../domain/ports/server-stores.ts";
import type { EventStore } from "../../../domain/ports/stores.ts";
import type { UserStore } from "../../../domain/ports/users.ts";
import type { AdminEvent } from "../../../domain/admin-event.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { ok } from "../../../domain/result.ts";
import { isPerUser } from "../../../domain/servers/server.ts";
import type { Ids } from "../../../domain/tenancy/ids.ts";
import {
  noPersonsKey,
  nothingToConnect,
  redirectToProvider,
  type Connecting,
  type ConnectDatabase,
} from "./person-connections.ts";
import type { PersonPageSignIn } from "./person-page-sign-in.ts";
import type { PersonSession, PersonSessions } from "./person-sessions.ts";

export interface OwnPage {
  once: string;
  grants: Grant[];
  /** `null` if the key belongs to no person */
  accounts: OwnAccount[] | null;
}

export type OwnChange =
  | { kind: "end-grant"; id: string }
  | { kind: "disconnect"; server: string }
  | { kind: "sign-out" };

export interface OwnDatabase {
  users: Pick<UserStore, "keysOf">;
  userTokens: Pick<UserTokenStore, "accountsOf" | "end">;
  servers: Pick<ServerStore, "bySlug">;
  events: Pick<EventStore, "append">;
  ids: Pick<Ids, "next">;
  beginForPerson: ConnectDatabase["beginForPerson"];
}

interface FormSent {
  token: string;
  tenant: string;
  once: string;
}

export interface PersonPages {
  signIn: PersonPageSignIn;
  sessions: Pick<PersonSessions, "find" | "end">;
  show(session: PersonSession): AsyncResult<OwnPage>;
  /** `null` if there is no session or the form is outdated; otherwise whether the target existed. */
  change(sent: FormSent, change: OwnChange): AsyncResult<boolean | null>;
  connect(sent: FormSent & { server: string; ownUrl: string }): AsyncResult<Connecting | null>;
}

interface PersonPagesDeps {
  signIn: PersonPageSignIn;
  sessions: PersonSessions;
  databaseOfTenant: (tenantId: string) => OwnDatabase;
  grants: () => Pick<AuthorizationServer, "grantsOf" | "revoke"> | null;
  now: () => number;
}

/** Of all keys of the person, or of the key itself if it belongs to no person. */
async function grantsOf(
  { grants, databaseOfTenant }: PersonPagesDeps,
  { holder, owner }: PersonSession,
): AsyncResult<Grant[]> {
  const { tenantId, keyId } = holder;
  const found = await (grants()?.grantsOf(tenantId) ?? ok([]));
  if (!found.ok) return found;
  const keys =
    owner === null ? ok([]) : await databaseOfTenant(tenantId).users.keysOf(tenantId, owner.userId);
  if (!keys.ok) return keys;
  const own = new Set([keyId, ...keys.value.map(({ id }) => id)]);
  return ok(
    found.value
      .filter((grant) => own.has(grant.keyId))
      .toSorted((one, other) => other.createdAt - one.createdAt),
  );
}

const eventOf = (
  { now }: PersonPagesDeps,
  { ids }: OwnDatabase,
  {
    session,
    ...what
  }: Pick<AdminEvent, "action" | "target" | "detail"> & {
    session: PersonSession;
  },
): AdminEvent => ({
  id: ids.next("event"),
  at: now(),
  actor: session.owner?.userId ?? session.holder.keyId,
  tenantId: session.holder.tenantId,
  ...what,
});

async function endGrant(
  deps: PersonPagesDeps,
  session: PersonSession,
  id: string,
): AsyncResult<boolean> {
  const { tenantId } = session.holder;
  const database = deps.databaseOfTenant(tenantId);
  const own = await grantsOf(deps, session);
  if (!own.ok) return own;
  const grant = own.value.find((each) => each.id === id);
  const grants = deps.grants();
  // Another person's grant is indistinguishable from a missing one.
  if (grant === undefined || grants === null) return ok(false);
  const { clientId, keyId } = grant;
  // Logged before the grant ends: a superfluous event is better than a missing one.
  const noted = await database.events.append(
    eventOf(deps, database, {
      session,
      action: "grant.revoke",
      target: id,
      detail: { clientId, keyId },
    }),
  );
  return noted.ok ? grants.revoke(tenantId, id) : noted;
}

async function disconnect(
  deps: PersonPagesDeps,
  session: PersonSession,
  server: string,
): AsyncResult<boolean> {
  const { holder, owner } = session;
  const { tenantId } = holder;
  if (owner === null) return ok(false);
  const database = deps.databaseOfTenant(tenantId);
  const accounts = await database.userTokens.accountsOf(tenantId, owner);
  if (!accounts.ok) return accounts;
  const account = accounts.value.find((each) => each.server === server);
  if (account === undefined) return ok(false);
  const { serverId } = account;
  const event = eventOf(deps, database, {
    session,
    action: "server.disconnect",
    target: serverId,
    detail: { slug: server },
  });
  const ended = await database.userTokens.end({ tenantId, owner, serverId }, event);
  return ended.ok ? ok(true) : ended;
}

export const createPersonPages = (deps: PersonPagesDeps): PersonPages => ({
  signIn: deps.signIn,
  sessions: deps.sessions,

  async show(session) {
    const { holder, owner, once } = session;
    const grants = await grantsOf(deps, session);
    if (!grants.ok) return grants;
    const { userTokens } = deps.databaseOfTenant(holder.tenantId);
    const accounts =
      owner === null ? ok(null) : await userTokens.accountsOf(holder.tenantId, owner);
    return accounts.ok ? ok({ once, grants: grants.value, accounts: accounts.value }) : accounts;
  },

  async change({ token, tenant, once }, change) {
    const taken = await deps.sessions.take(token, tenant, once);
    if (!taken.ok) return taken;
    if (taken.value === null) return ok(null);
    const session = taken.value;
    if (change.kind === "end-grant") return endGrant(deps, session, change.id);
    if (change.kind === "disconnect") return disconnect(deps, session, change.server);
    const ended = await deps.sessions.end(token);
    return ended.ok ? ok(true) : ended;
  },

  async connect({ token, tenant, once, server: slug, ownUrl }) {
    const taken = await deps.sessions.take(token, tenant, once);
    if (!taken.ok) return taken;
    if (taken.value === null) return ok(null);
    const { holder, owner } = taken.value;
    const database = deps.databaseOfTenant(holder.tenantId);
    const server = await database.servers.bySlug(holder.tenantId, slug);
    if (!server.ok) return server;
    const again = (detail: string) => ok({ kind: "again", detail } as const);
    if (server.value === null || !isPerUser(server.value)) return again(nothingToConnect);
    return owner === null
      ? again(noPersonsKey)
      : redirectToProvider(database, server.value, { owner, ownUrl, returnTo: null });
  },
});
