import type { AzurePlace } from "../../../domain/models/cloud-place.ts";
import type { Credential, SealedCredential } from "../../../domain/ports/stores.ts";
import { deploymentsOf, type Deployment } from "./cloud-input.ts";

export interface ShownCredential extends Omit<Credential, "listing" | "place"> {
  listing: { at: number; models: number } | null;
  endpoint?: string;
  deployments?: Deployment[];
  tokenUrl?: string;
  authKind?: AzurePlace["auth"];
}

export function shownOf({ listing = null, place, ...credential }: Credential): ShownCredential {
  const shown = {
    ...credential,
    listing: listing === null ? null : { at: listing.at, models: listing.ids.length },
  };
  if (!place) return shown;
  const { cloud: _, auth, ...members } = place;
  return { ...shown, ...members, authKind: auth, deployments: deploymentsOf(credential.models) };
}

export const shown = ({
  sealed: _,
  listingDueAt: __,
  ...credential
}: SealedCredential): ShownCredential => shownOf(credential);
