/** People can't approve their own calls unless the policy allows it; they are compared by subject. */
import type { KeyStore } from "../../../domain/ports/stores.ts";
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import { err, mapped, ok } from "../../../domain/result.ts";
import { identityOf, type Actor, type StoredKey } from "../../../domain/tenancy/access.ts";
import type { KeyCodes } from "../../callers/key-codes.ts";
import { finderOf, openedUser, type UserDeps } from "../../people/users.ts";

export interface OwnCallDeps extends Omit<UserDeps, "keyCodes"> {
  keys: Pick<KeyStore, "get">;
  keyCodes: KeyCodes;
}

interface AskedBy {
  tenantId: string;
  keyId: string;
}

/** `itself`: the key that asks; `person`: the person it belongs to. */
export type OwnCall = "itself" | "person";

export const ownCallActions: Readonly<Record<OwnCall, string>> = {
  itself: "a key decides no request of its own",
  person: "a person decides no request of a key of theirs",
};
const unreadable = (what: string) => err<Refusal>({ reason: "unreadable", what });

/** Lookup keys of the person a key belongs to, and of those who received its secret. */
interface PeopleOfKey {
  of: string | null;
  givenTo: readonly string[];
}

const nobody: PeopleOfKey = { of: null, givenTo: [] };

async function ownerOf(deps: OwnCallDeps, key: StoredKey): AsyncResult<string | null> {
  if (!key.userId) return ok(null);
  const user = await deps.users.get(key.tenantId, key.userId);
  if (!user.ok) return user;
  if (user.value === null) return ok(null);
  const secrets = await openedUser(deps, user.value);
  return secrets === null ? unreadable("the person's row") : ok(secrets.finder);
}

async function peopleOfKey(
  deps: OwnCallDeps,
  { tenantId, keyId }: AskedBy,
): AsyncResult<PeopleOfKey> {
  const found = await deps.keys.get(tenantId, keyId);
  if (!found.ok) return found;
  const key = found.value;
  if (key === null) return ok(nobody);
  if (!(await deps.keyCodes.isKnown(key))) return unreadable(`key ${keyId}`);
  const of = await ownerOf(deps, key);
  return of.ok ? ok({ of: of.value, givenTo: key.givenTo }) : of;
}

async function peopleOf(deps: OwnCallDeps, actor: Actor, tenantId: string) {
  const identity = identityOf(actor);
  if (identity !== null) {
    const finder = await finderOf(deps, { tenantId, identity });
    return finder.ok ? ok<PeopleOfKey>({ of: finder.value, givenTo: [] }) : finder;
  }
  return actor.kind === "key"
    ? peopleOfKey(deps, { tenantId, keyId: actor.keyId })
    : ok<PeopleOfKey>(nobody);
}

/** A person who received the secret of a key without a person may be its user. */
const isSamePerson = (actor: PeopleOfKey, asker: PeopleOfKey): boolean =>
  actor.of === null
    ? asker.of !== null && actor.givenTo.includes(asker.of)
    : actor.of === asker.of || asker.givenTo.includes(actor.of);

export const createOwnCall =
  (deps: OwnCallDeps) =>
  async (actor: Actor, asked: AskedBy): AsyncResult<OwnCall | null> => {
    if (actor.kind === "key" && actor.keyId === asked.keyId) return ok("itself");
    const people = await peopleOf(deps, actor, asked.tenantId);
    if (!people.ok) return people;
    if (people.value.of === null && people.value.givenTo.length === 0) return ok(null);
    const asker = await peopleOfKey(deps, asked);
    return asker.ok ? ok(isSamePerson(people.value, asker.value) ? "person" : null) : asker;
  };

export const subjectOf = (
  deps: OwnCallDeps,
  actor: Actor,
  tenantId: string,
): AsyncResult<string | null> => mapped(peopleOf(deps, actor, tenantId), (people) => people.of);

export const givenTo = (deps: OwnCallDeps, actor: Actor, tenantId: string): AsyncResult<string[]> =>
  mapped(subjectOf(deps, actor, tenantId), (subject) => (subject === null ? [] : [subject]));
