/** People on whose behalf programs call. Records name a person by an id, which says nothing of the person. */
import { canonicalJson } from "../canonical.ts";
import type { SealedFor } from "./sealing.ts";

/** A person on whose behalf a caller calls. */
export interface User {
  /** a keyed hash of issuer and subject: nobody without the key finds the person by it */
  id: string;
  /** as the tenant's policy lets it be kept; absent: no name is known, or none may be kept */
  name?: string;
  /** as the identity provider names them; absent: it names none */
  groups?: readonly string[];
}

/**
 * Whose account at a server it is. A connection is for the secret by which the person showed who they are: a key that
 * an administrator makes or rotates later for the same person reaches no account that the person connected before.
 */
export interface AccountOwner {
  userId: string;
  /** `signedIn`, or `shownSecret` of an API key */
  shown: string;
}

/** The person signed in by the tenant's identity provider. */
export const signedIn = "sign-in";

/** 64 bits of a hash of 256 random bits tell the secrets of one key apart. */
export const shownSecret = ({ id, secretHash }: { id: string; secretHash: string }): string =>
  `${id}.${secretHash.slice(0, 16)}`;

export const userPrefix = "usr";

/** Who somebody is, as an identity provider says it. Stored nowhere. */
export interface Identity {
  issuer: string;
  /** the provider's own id of the person */
  subject: string;
}

export const identityText = ({ issuer, subject }: Identity): string =>
  canonicalJson(["identity", issuer, subject]);

/** A person as administrators see one. */
export interface KnownUser {
  id: string;
  tenantId: string;
  /** null: none is known, or none may be kept */
  name: string | null;
  /** the API key that programs of the person act as, after a sign-in; nobody has its secret */
  keyId: string;
  createdAt: number;
}

/** The row. With the row go the name and the key of the hash, so the id leads to nobody any more. */
export interface StoredUser extends KnownUser {
  /** a hash of the identity under the tenant's own key, by which a person is found again */
  finder: string;
  /** JSON of `UserSecrets` */
  sealed: string;
}

/** Who writes to the database can't make one person act as another: the row has to say what the seal says. */
export interface UserSecrets {
  /** the key of the hash which is the person's id */
  key: string;
  finder: string;
  keyId: string;
}

/** Also of a tenant's own key, whose id is the tenant's. */
export const userSecretsOf = ({ tenantId, id }: Pick<KnownUser, "tenantId" | "id">): SealedFor => ({
  purpose: "user",
  tenantId,
  provider: "",
  id,
  destination: "",
});

const mostNameCharacters = 150;

/** A name as it may be kept; null: there is none. */
export function nameToKeep(name: string | null, policy: { userNames?: "none" | "keep" }) {
  const kept = policy.userNames === "keep" ? (name?.trim().slice(0, mostNameCharacters) ?? "") : "";
  return kept === "" ? null : kept;
}
