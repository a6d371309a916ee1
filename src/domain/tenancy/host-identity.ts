/** Which tenants the operator allows to use the identity that the router's machine has at its cloud. */
import { err, ok, type Result } from "../result.ts";

export const hostIdentitySettings = [
  "HOST_IDENTITY_TENANTS",
  "ASSUME_ROLE_WITH_HOST_IDENTITY",
] as const;
export interface HostIdentityEnvironment {
  HOST_IDENTITY_TENANTS?: string;
  ASSUME_ROLE_WITH_HOST_IDENTITY?: string;
}

export interface HostIdentityPermission {
  /** ids, which are never reused, or `*` for all */
  tenants: ReadonlySet<string>;
  /** for roles of tenants, if the operator has no key */
  assumesRoles: boolean;
}

export function parseHostIdentity(
  given: HostIdentityEnvironment,
): Result<HostIdentityPermission, { setting: string; problem: string }> {
  const names = (given.HOST_IDENTITY_TENANTS ?? "").split(",").map((name) => name.trim());
  const tenants = new Set(names.filter((name) => name !== ""));
  if ([...tenants].some((name) => name !== "*" && !name.startsWith("ten_")))
    return err({
      setting: "HOST_IDENTITY_TENANTS",
      problem: "must be ids of tenants (ten_…), or *",
    });
  return ok({ tenants, assumesRoles: given.ASSUME_ROLE_WITH_HOST_IDENTITY === "true" });
}

/** `null` if the tenant may use it. */
export type HostIdentityProblem = (tenantId: string) => string | null;

/** @param isPresent `false` on Workers */
export const createHostIdentityProblem =
  (
    { tenants }: HostIdentityPermission,
    { isPresent }: { isPresent: boolean },
  ): HostIdentityProblem =>
  (tenantId) => {
    if (!isPresent)
      return "Workers have no identity at a cloud: use a key, a client secret, a role, or a service account";
    return tenants.has("*") || tenants.has(tenantId)
      ? null
      : `only the operator can allow hostIdentity: add ${tenantId} to HOST_IDENTITY_TENANTS`;
  };
