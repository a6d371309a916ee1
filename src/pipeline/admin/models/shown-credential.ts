import { externalIdOf, type CloudPlace } from "../../../domain/models/cloud-place.ts";
import type { LastCheck } from "../../../domain/models/model.ts";
import type { Credential, SealedCredential } from "../../../domain/ports/stores.ts";
import { deploymentsOf, type CloudMembers } from "./cloud-input.ts";

export interface ShownCredential
  extends
    Omit<Credential, "listing" | "lastCheck" | "place" | "headerNames">,
    Omit<CloudMembers, "auth"> {
  /** number of listed models; `null` without a current list */
  listing: { at: number; models: number } | null;
  lastCheck: LastCheck | null;
  /** in lists; `null` without one among the newest requests */
  lastCall?: LastCheck | null;
  headerNames: readonly string[];
  authKind?: CloudPlace["auth"];
  externalId?: string;
}

export function shownOf({
  listing = null,
  lastCheck = null,
  place,
  headerNames,
  ...credential
}: Credential): ShownCredential {
  const shown = {
    ...credential,
    headerNames: headerNames ?? [],
    lastCheck,
    listing: listing === null ? null : { at: listing.at, models: listing.ids.length },
  };
  if (!place) return shown;
  const { cloud, auth, ...members } = place;
  return {
    ...shown,
    ...members,
    authKind: auth,
    ...(cloud === "azure" && { deployments: deploymentsOf(credential.models) }),
    ...(auth === "role" && { externalId: externalIdOf(credential.tenantId) }),
  };
}

export const shown = ({
  sealed: _,
  listingDueAt: __,
  ...credential
}: SealedCredential): ShownCredential => shownOf(credential);
