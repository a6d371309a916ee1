/** A person at the consent page: who they are, and what they decide. */
import type { AdminEvent } from "../domain/admin-event.ts";
import type {
  ApprovedConsent,
  AuthorizationServer,
  ConsentFault,
  ConsentResult,
  OpenConsent,
} from "../domain/ports/authorization-server.ts";
import type { EventStore } from "../domain/ports/stores.ts";
import type { Refusal } from "../domain/refusals.ts";
import { explain } from "../domain/refusal-words.ts";
import { err, ok } from "../domain/result.ts";
import type { Ids } from "../domain/tenancy/ids.ts";
import {
  pathOfResource,
  scopeOfResource,
  type OauthResource,
} from "../domain/tenancy/oauth-resources.ts";
import type { Authenticate, Caller, Claim } from "./authenticate.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";

/** What becomes of a decision. */
export type Decided =
  | { kind: "redirect"; to: string; headers: Headers }
  /** the page again, with a sentence on what was wrong */
  | { kind: "again"; open: OpenConsent; detail: string };

/** Over the database of one tenant. */
export interface ConsentShard {
  authenticate: Authenticate;
  events: Pick<EventStore, "append">;
  ids: Pick<Ids, "next">;
}

interface ConsentDeps {
  server: AuthorizationServer;
  /** where the key's tenant lives; null: the text is no key */
  shardOfKey: (key: string) => ConsentShard | null;
  throttle: SignInThrottle;
  now: () => number;
}

export interface OauthConsents {
  open(request: Request): ConsentResult<OpenConsent>;
  deny(request: Request, handle: string): ConsentResult<Decided>;
  /** Grants what the page shows, in the name of an API key. */
  allowByKey(
    request: Request,
    given: { handle: string; key: string; address: string },
  ): ConsentResult<Decided>;
}

/** Grants of one tenant that may stand at once. */
const mostGrants = 1_000;

const claimOf = (key: string, resource: OauthResource): Claim => ({
  token: key,
  sessionId: null,
  scope: scopeOfResource(resource),
  ...(resource.kind === "server" && {
    through: { tenant: resource.tenant, server: resource.server },
  }),
});

const otherTenant: Refusal = { reason: "unauthorized", detail: "Unknown API key." };

/** Who the key is of, if the key opens what is asked for. */
async function holderOf(
  { shardOfKey }: Pick<ConsentDeps, "shardOfKey">,
  key: string,
  resource: OauthResource,
) {
  const shard = shardOfKey(key);
  if (shard === null) return err(otherTenant);
  const caller = await shard.authenticate(claimOf(key, resource), "database");
  if (!caller.ok) return caller;
  return caller.value.snapshot.tenant.slug === resource.tenant
    ? ok({ shard, caller: caller.value })
    : err(otherTenant);
}

const eventOf = (
  { now }: Pick<ConsentDeps, "now">,
  { shard, caller }: { shard: ConsentShard; caller: Caller },
  { facts }: ApprovedConsent,
): AdminEvent => ({
  id: shard.ids.next("event"),
  at: now(),
  actor: caller.snapshot.key.id,
  action: "oauth.grant",
  tenantId: caller.snapshot.tenant.id,
  target: caller.snapshot.key.id,
  detail: {
    client: facts.clientName.slice(0, 200),
    redirectHost: facts.redirectHost.slice(0, 200),
    resource: pathOfResource(facts.resource),
  },
});

export function createOauthConsents(deps: ConsentDeps): OauthConsents {
  const { server, throttle } = deps;
  const again = async (approved: ApprovedConsent, detail: string): ConsentResult<Decided> => {
    const open = await server.reopen(approved);
    return open.ok ? ok({ kind: "again", open: open.value, detail }) : open;
  };
  const refusalOf = (refusal: Refusal) =>
    err({ kind: "refusal", refusal } as const satisfies ConsentFault);
  return {
    open: (request) => server.open(request),

    async deny(request, handle) {
      const denied = await server.deny(request, handle);
      return denied.ok ? ok({ kind: "redirect", ...denied.value }) : denied;
    },

    async allowByKey(request, { handle, key, address }) {
      const approval = await server.approve(request, handle);
      if (!approval.ok) return approval;
      const approved = approval.value;
      const { resource } = approved.facts;
      const turn = throttle.begin({ address, subject: `consent ${resource.tenant}` });
      if (!turn.ok) return again(approved, explain(turn.error));
      const found = await holderOf(deps, key.trim(), resource);
      if (!found.ok) return again(approved, explain(found.error));
      turn.value.succeeded();
      const { snapshot } = found.value.caller;
      const { key: holderKey, tenant } = snapshot;
      const known = await server.grantsOf(tenant.id);
      if (!known.ok) return refusalOf(known.error);
      if (known.value.length >= mostGrants)
        return again(approved, "This tenant has as many grants as it may have: revoke some.");
      const holder = { tenantId: tenant.id, keyId: holderKey.id };
      const to = await server.complete(approved, { holder, user: null });
      if (!to.ok) return to;
      const noted = await found.value.shard.events.append(eventOf(deps, found.value, approved));
      if (!noted.ok) return refusalOf(noted.error);
      return ok({ kind: "redirect", to: to.value, headers: approved.headers });
    },
  };
}
