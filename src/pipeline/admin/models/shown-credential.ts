import type { Credential, SealedCredential } from "../../../domain/ports/stores.ts";

export interface ShownCredential extends Omit<Credential, "listing"> {
  listing: { at: number; models: number } | null;
}

export const shownOf = ({ listing = null, ...credential }: Credential): ShownCredential => ({
  ...credential,
  listing: listing === null ? null : { at: listing.at, models: listing.ids.length },
});

export const shown = ({
  sealed: _,
  listingDueAt: __,
  ...credential
}: SealedCredential): ShownCredential => shownOf(credential);
