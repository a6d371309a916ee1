import type { TokenRights } from "../../domain/ports/authorization-server.ts";
import type { KeyTokens } from "../../domain/ports/stores.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { grantOfToken } from "../../domain/tenancy/grant-ids.ts";
import { pathOfResource, type OauthResource } from "../../domain/tenancy/oauth-resources.ts";
import type { AccessTokens } from "./access-tokens.ts";
import type { Demand } from "../../domain/tenancy/scopes.ts";

const refused = (detail: string): Result<never, Refusal> => err({ reason: "unauthorized", detail });

export interface Opened {
  scope: Demand;
  through?: { tenant: string; server: string };
  /** slug in the path, which must be the key's tenant. Access tokens require a slug */
  tenant?: string;
}

/** `null` if no access token can open it. */
function resourceOf({ scope, through, tenant }: Opened): OauthResource | null {
  if (through !== undefined) return { kind: "server", ...through };
  if (tenant === undefined) return null;
  return { kind: scope === "models" ? "models" : "sampling", tenant };
}

export const unknownKey: Refusal = { reason: "unauthorized", detail: "Unknown API key." };
const noToken = "Neither the operator's token nor an API key, which begins with srk_.";
const noKey = "Not an API key, which begins with srk_. The operator's token is for the admin API.";

interface ShownKey {
  keyId: string;
  grantId: string | null;
  rights: TokenRights | null;
}

export async function shownKey(
  deps: { tokens: KeyTokens; accessTokens: AccessTokens },
  token: string,
  opened: Opened,
): AsyncResult<ShownKey> {
  const keyId = deps.tokens.keyIdOf(token);
  if (keyId !== null) return ok({ keyId, grantId: null, rights: null });
  if (token.startsWith("srk_")) return err(unknownKey);
  const grant = grantOfToken(token);
  if (grant === null) return refused(opened.scope === "role" ? noToken : noKey);
  const resource = resourceOf(opened);
  const rights =
    resource === null || opened.scope === "role"
      ? ok(null)
      : await deps.accessTokens.check(token, pathOfResource(resource));
  if (!rights.ok) return rights;
  return rights.value === null
    ? refused("This access token is unknown, has expired, or is for something else.")
    : ok({ keyId: grant.keyId, grantId: grant.grantId, rights: rights.value });
}
