/** Access tokens and the grants behind them. */
import type {
  AuthorizationServer,
  Grant,
  TokenRights,
} from "../../domain/ports/authorization-server.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { err, mapped, ok } from "../../domain/result.ts";
import { checkKeyOf, holderIn, grantOfToken, holderText } from "../../domain/tenancy/grant-ids.ts";
import type { User } from "../../domain/tenancy/user.ts";
import { envOf, providerFor, type ProviderDeps } from "./provider.ts";
import { refusalThrown, stored } from "./storage.ts";

/** The library's entry. */
interface GrantRow {
  id: string;
  clientId: string;
  userId: string;
  scope: string[];
  resource?: string;
  metadata?: { clientName?: string; redirectHost?: string; byAssertion?: true };
  createdAt: number;
  expiresAt?: number;
  /** hash of the code until a code is exchanged; not yet a grant */
  refreshTokenId?: string;
}

const maxGrants = 1_000;

const grantOf = ({
  id,
  clientId,
  userId,
  scope,
  resource,
  metadata,
  ...times
}: GrantRow): Grant => ({
  id,
  clientId,
  clientName: metadata?.clientName ?? clientId,
  redirectHost: metadata?.redirectHost ?? "",
  resource: resource ?? "",
  scopes: scope,
  keyId: holderIn(userId)?.keyId ?? "",
  createdAt: times.createdAt * 1_000,
  expiresAt: times.expiresAt === undefined ? null : times.expiresAt * 1_000,
});

async function forgetCheck(deps: ProviderDeps, userId: string, grantId: string): Promise<void> {
  const holder = holderIn(userId);
  if (holder === null) return;
  const key = checkKeyOf({ ...holder, grantId });
  const gone = { key, value: null, expiresAt: null, ifVersion: "any" } as const;
  const { tenantId } = holder;
  stored(await deps.entriesOf(tenantId).change({ tenantId, ...gone }, deps.now()));
}

type Access = Pick<AuthorizationServer, "check" | "grantsOf" | "revoke">;

export function createAccess(deps: ProviderDeps): Access {
  const { entriesOf, issuer, now } = deps;
  const rowsOf = async (tenantId: string): AsyncResult<GrantRow[]> => {
    const place = { prefix: "grant:", after: "", limit: maxGrants };
    const found = await entriesOf(tenantId).list(tenantId, place, now());
    if (!found.ok) return found;
    const rows = found.value.map(({ value }) => JSON.parse(value) as GrantRow);
    return ok(
      rows.filter(
        ({ refreshTokenId, metadata }) =>
          refreshTokenId !== undefined || metadata?.byAssertion === true,
      ),
    );
  };
  return {
    async check(token, path): AsyncResult<TokenRights | null> {
      const holder = grantOfToken(token);
      if (holder === null) return ok(null);
      const { tenantId } = holder;
      // A token is useless without its grant, even if written after the revocation.
      const key = `grant:${holderText(holder)}:${token.split(":")[1]}`;
      const grant = await entriesOf(tenantId).get(tenantId, [key], now());
      if (!grant.ok) return grant;
      const [entry] = grant.value;
      if (entry === undefined) return ok(null);
      const { createdAt } = JSON.parse(entry.value) as GrantRow;
      try {
        const provider = providerFor(deps, path);
        const valid = await provider.validateToken(`${issuer}${path}`, token, envOf(deps));
        if (valid === null) return ok(null);
        const { user } = valid.props as { user: User | null };
        return ok({
          holder,
          scopes: valid.scope,
          user,
          grantedAt: createdAt * 1_000,
          expiresAt: valid.expiresAt * 1_000,
        });
      } catch (thrown) {
        const refusal = refusalThrown(thrown);
        if (refusal !== null) return err(refusal);
        throw thrown;
      }
    },

    grantsOf: (tenantId) => mapped(rowsOf(tenantId), (rows) => rows.map(grantOf)),

    async revoke(tenantId, grantId) {
      const rows = await rowsOf(tenantId);
      if (!rows.ok) return rows;
      const row = rows.value.find(({ id }) => id === grantId);
      if (row === undefined) return ok(false);
      try {
        const api = providerFor(deps, null).getOAuthApi(envOf(deps));
        await api.revokeGrant(grantId, row.userId);
        await forgetCheck(deps, row.userId, grantId);
        return ok(true);
      } catch (thrown) {
        const refusal = refusalThrown(thrown);
        if (refusal !== null) return err(refusal);
        throw thrown;
      }
    },
  };
}
