/** A switch or raise for a missing key or server has no effect. Names already in the old policy are not checked. */
import type { Policy } from "../../../domain/choice/policy.ts";
import type { UserStore } from "../../../domain/ports/users.ts";
import type { NameStore } from "../../../domain/ports/names.ts";
import type { ServerStore } from "../../../domain/ports/server-stores.ts";
import type { Tenant } from "../../../domain/ports/stores.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { err, ok } from "../../../domain/result.ts";

export interface NamedDeps {
  names: NameStore;
  servers: Pick<ServerStore, "bySlug">;
  users: Pick<UserStore, "get">;
}

type Named = Record<string, unknown> | undefined;

const newIn = (named: Named, before: Named): string[] =>
  Object.keys(named ?? {}).filter((name) => !Object.hasOwn(before ?? {}, name));

const missing = (path: string, what: string) =>
  err({ reason: "invalid_params", path, detail: `This tenant has no such ${what}.` } as const);

/** Free-form names from calls and identity providers. */
const named = /^(?:group|tag):./;
const person = /^user:(.+)$/;
/** The id of a key or server, or of the key in a run. */
const byId = /^(?:run:(?=[^:]+:.))?((?:key|srv)_[^:]+)/;

async function isThere(deps: NamedDeps, tenantId: string, subject: string): AsyncResult<boolean> {
  if (subject === tenantId || named.test(subject)) return ok(true);
  const [, userId] = person.exec(subject) ?? [];
  if (userId !== undefined) {
    const user = await deps.users.get(tenantId, userId);
    return user.ok ? ok(user.value !== null) : user;
  }
  const [, id] = byId.exec(subject) ?? [];
  if (id === undefined) return ok(false);
  const known = await deps.names.of(tenantId, [id]);
  return known.ok ? ok(Object.hasOwn(known.value, id)) : known;
}

async function checkedRaises(
  deps: NamedDeps,
  { raises = [] }: Policy,
  { id, policy }: Pick<Tenant, "id" | "policy">,
): AsyncResult<null> {
  const before = new Set((policy.raises ?? []).map(({ subject }) => subject));
  for (const [at, { subject }] of raises.entries()) {
    if (before.has(subject)) continue;
    const there = await isThere(deps, id, subject);
    if (!there.ok) return there;
    if (!there.value)
      return missing(`raises.${at}.subject`, "key, server, person, run, group or tag");
  }
  return ok(null);
}

export async function checkedNames(
  deps: NamedDeps,
  policy: Policy,
  tenant: Pick<Tenant, "id" | "policy">,
): AsyncResult<null> {
  const stopped = await checkedSwitches(deps, policy, tenant);
  return stopped.ok ? checkedRaises(deps, policy, tenant) : stopped;
}

async function checkedSwitches(
  { names, servers }: NamedDeps,
  { stopped }: Policy,
  { id, policy: before }: Pick<Tenant, "id" | "policy">,
): AsyncResult<null> {
  const keys = newIn(stopped?.keys, before.stopped?.keys);
  const known = await names.of(id, keys);
  if (!known.ok) return known;
  const noKey = keys.find((key) => !key.startsWith("key_") || !Object.hasOwn(known.value, key));
  if (noKey !== undefined) return missing(`stopped.keys.${noKey}`, "API key");
  for (const slug of newIn(stopped?.servers, before.stopped?.servers)) {
    const server = await servers.bySlug(id, slug);
    if (!server.ok) return server;
    if (server.value === null) return missing(`stopped.servers.${slug}`, "server");
  }
  return ok(null);
}
