import type { Credential, SealedCredential } from "../../../domain/ports/stores.ts";

/** A credential as the API shows it. */
export interface ShownCredential extends Omit<Credential, "listing"> {
  /** how many models its provider lists; null: no list is known that counts */
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
