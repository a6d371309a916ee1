/** Users on whose behalf clients call. Records contain only a pseudonymous id. */
import { canonicalJson } from "../canonical.ts";
import type { Role } from "./scopes.ts";
import type { SealedFor } from "./sealing.ts";

export interface User {
  /** keyed hash of issuer and subject */
  id: string;
  name?: string;
  groups?: readonly string[];
}

export interface AccountOwner {
  userId: string;
  /** `signedIn`, or `shownSecret` of an API key */
  shown: string;
}

/** For users of the tenant's identity provider. */
export const signedIn = "sign-in";

/** 64 hash bits of a 256-bit secret are enough to tell a key's secrets apart. */
export const shownSecret = ({ id, secretHash }: { id: string; secretHash: string }): string =>
  `${id}.${secretHash.slice(0, 16)}`;

export const userPrefix = "usr";

export interface Identity {
  issuer: string;
  subject: string;
}

export const identityText = ({ issuer, subject }: Identity): string =>
  canonicalJson(["identity", issuer, subject]);

export interface KnownUser {
  id: string;
  tenantId: string;
  name: string | null;
  /** API key of the user's clients after sign-in; its secret is unknown */
  keyId: string;
  createdAt: number;
  /** of the last sign-in to the console; `null`: none */
  role: Role | null;
  signedInAt: number | null;
}

/** Deleting the row also deletes the name and the hash key, so that the id becomes anonymous. */
export interface StoredUser extends KnownUser {
  /** hash of the identity under the tenant's key, for lookup */
  finder: string;
  sealed: string;
}

/** The row must match the seal, so that database writes can't swap users. */
export interface UserSecrets {
  key: string;
  finder: string;
  keyId: string;
}

/** Also for a tenant's own key, with the tenant's id. */
export const userSecretsOf = ({ tenantId, id }: Pick<KnownUser, "tenantId" | "id">): SealedFor => ({
  purpose: "user",
  tenantId,
  provider: "",
  id,
  destination: "",
});

const maxNameCharacters = 150;

export function nameToKeep(name: string | null, policy: { userNames?: "none" | "keep" }) {
  const kept = policy.userNames === "keep" ? (name?.trim().slice(0, maxNameCharacters) ?? "") : "";
  return kept === "" ? null : kept;
}
