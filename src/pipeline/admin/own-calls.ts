/** Nobody decides on a call of their own, or every key could approve what it asks itself. */
import type { UserStore } from "../../domain/ports/users.ts";
import type { EventStore, KeyStore, Vault } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import { actorName, type Actor } from "../../domain/tenancy/access.ts";
import { openedUser } from "../users.ts";

export interface OwnCallDeps {
  events: Pick<EventStore, "wasGivenKey">;
  keys: Pick<KeyStore, "get">;
  users: Pick<UserStore, "get">;
  vault: Vault;
}

interface AskedBy {
  tenantId: string;
  keyId: string;
}

const ofItself = "a key decides no request of its own";
const ofTheirs = "a person decides no request of a key of theirs";

/** The person whose key it is; null: it is nobody's. */
async function userOfKey(deps: OwnCallDeps, { tenantId, keyId }: AskedBy) {
  const key = await deps.keys.get(tenantId, keyId);
  return key.ok ? ok(key.value?.userId ?? null) : key;
}

/** Whether the person signs in to the console by the name of the actor. */
async function isSamePerson(deps: OwnCallDeps, actor: Actor, asked: AskedBy): AsyncResult<boolean> {
  const userId = await userOfKey(deps, asked);
  if (!userId.ok) return userId;
  if (userId.value === null) return ok(false);
  const user = await deps.users.get(asked.tenantId, userId.value);
  if (!user.ok) return user;
  const secrets = user.value === null ? null : await openedUser(deps, user.value);
  return ok(secrets?.actor !== undefined && secrets.actor === actorName(actor));
}

/** Why the actor may not decide on the call; null: the actor may. */
export const createOwnCall =
  (deps: OwnCallDeps) =>
  async (actor: Actor, asked: AskedBy): AsyncResult<string | null> => {
    const { tenantId, keyId } = asked;
    if (actor.kind === "key") {
      if (actor.keyId === keyId) return ok(ofItself);
      const by = await userOfKey(deps, asked);
      const own = await userOfKey(deps, { tenantId, keyId: actor.keyId });
      if (!by.ok) return by;
      if (!own.ok) return own;
      return ok(by.value !== null && by.value === own.value ? ofTheirs : null);
    }
    if (actor.kind === "operator" && actor.person === undefined) return ok(null);
    const given = await deps.events.wasGivenKey(tenantId, keyId, actorName(actor));
    if (!given.ok) return given;
    if (given.value) return ok(ofTheirs);
    // The operator's people come from another provider than the tenant's.
    const same = actor.kind === "person" ? await isSamePerson(deps, actor, asked) : ok(false);
    return same.ok ? ok(same.value ? ofTheirs : null) : same;
  };
