import type { AdminEvent } from "../../../domain/admin-event.ts";
import type { Assertion, AssertionRules } from "../../../domain/ports/authorization-server.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { ok } from "../../../domain/result.ts";
import { mayConnect } from "../../../domain/tenancy/oauth-clients.ts";
import { pathOfResource, type OauthResource } from "../../../domain/tenancy/oauth-resources.ts";
import type { BriefMemory } from "./brief-memory.ts";
import type { ConsentDeps, ConsentDatabase } from "./consent-grants.ts";
import type { AdmittedPerson, TenantSignIn } from "../consent-people.ts";

interface AssertionDeps extends Pick<ConsentDeps, "databaseOfSlug" | "now"> {
  issuerKeys: BriefMemory<string>;
}

type AssertingDatabase = Pick<ConsentDatabase, "people" | "events" | "ids">;

/** `null` if the tenant's people authorize by keys only */
async function signInOf(
  { databaseOfSlug }: AssertionDeps,
  { tenant }: OauthResource,
): AsyncResult<{ database: AssertingDatabase; tenantSignIn: TenantSignIn } | null> {
  const database = await databaseOfSlug(tenant);
  if (!database.ok) return database;
  const tenantSignIn = await database.value.people.signInOf(tenant);
  if (!tenantSignIn.ok) return tenantSignIn;
  return ok(
    tenantSignIn.value === null
      ? null
      : { database: database.value, tenantSignIn: tenantSignIn.value },
  );
}

const eventOf = (
  { now }: AssertionDeps,
  { ids }: AssertingDatabase,
  { assertion, person }: { assertion: Assertion; person: AdmittedPerson },
): AdminEvent => ({
  id: ids.next("event"),
  at: now(),
  actor: person.holder.keyId,
  action: "oauth.assertion",
  tenantId: person.holder.tenantId,
  target: person.holder.keyId,
  detail: {
    client: assertion.client.name.slice(0, 200),
    clientId: assertion.client.id.slice(0, 200),
    resource: pathOfResource(assertion.resource),
  },
});

export const createAssertions = (deps: AssertionDeps): AssertionRules => ({
  async keysOf({ resource, issuer }) {
    const found = await signInOf(deps, resource);
    if (!found.ok) return found;
    if (found.value === null) return ok(null);
    const { database, tenantSignIn } = found.value;
    const { signIn } = tenantSignIn;
    // A gateway vouches only for the requests it forwards.
    if (signIn.kind !== "openid-connect" || signIn.issuer !== issuer) return ok(null);
    return deps.issuerKeys(issuer, () => database.people.keysOf(tenantSignIn));
  },

  async grantFor(assertion) {
    const { resource, client, claims } = assertion;
    const found = await signInOf(deps, resource);
    if (!found.ok) return found;
    if (found.value === null) return ok(null);
    const { database, tenantSignIn } = found.value;
    if (!mayConnect(tenantSignIn.tenant.policy.oauthClients ?? {}, client.domain)) return ok(null);
    const obstacle = await database.people.obstacle(tenantSignIn, resource);
    if (!obstacle.ok) return obstacle;
    if (obstacle.value !== null) return ok(null);
    const person = await database.people.asserted(tenantSignIn, claims);
    if (!person.ok) return person.error.reason === "forbidden" ? ok(null) : person;
    const { holder, userId, groups } = person.value;
    const event = eventOf(deps, database, { assertion, person: person.value });
    const noted = await database.events.append(event);
    return noted.ok ? ok({ holder, user: { id: userId, groups } }) : noted;
  },
});
