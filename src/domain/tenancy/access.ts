import { canonicalJson } from "../canonical.ts";
import type { JsonObject } from "../json.ts";
import type { Limits } from "../choice/policy.ts";
import type { Identity } from "./user.ts";
import type { Role, Scope } from "./scopes.ts";

export interface ApiKey {
  id: string;
  tenantId: string;
  name: string;
  scopes: Scope[];
  expiresAt: number | null;
  revokedAt: number | null;
  limits: Limits;
  userId?: string | null;
  createdAt: number;
  /** an event's `actor` */
  createdBy: string;
}

export interface StoredKey extends ApiKey {
  secretHash: string;
  /** lookup hashes (`StoredUser`) of the users who created or rotated the key */
  givenTo: string[];
  /** code over `codedText` under MASTER_KEY */
  code: string;
}

/** Authenticated columns. A row with other values is not a key. */
export const codedText = (key: Omit<StoredKey, "code">): string =>
  canonicalJson([
    key.id,
    key.tenantId,
    key.secretHash,
    key.scopes,
    key.limits as JsonObject,
    key.expiresAt,
    key.revokedAt,
    key.givenTo,
    key.userId ?? null,
  ]);

export type Actor =
  /** `person`: an operator's user with a role; absent: the operator's token */
  | { kind: "operator"; person?: { name: string; role: Role; identity: Identity } }
  | { kind: "person"; name: string; tenantId: string; role: Role; identity: Identity }
  | {
      kind: "key";
      keyId: string;
      tenantId: string;
      role: Role;
      expiresAt: number | null;
    };

export function identityOf(actor: Actor): Identity | null {
  if (actor.kind === "operator") return actor.person?.identity ?? null;
  return actor.kind === "person" ? actor.identity : null;
}

/** The operator's token has every role for every tenant. */
export const actsAs = (actor: Actor): Role =>
  actor.kind === "operator" ? (actor.person?.role ?? "admin") : actor.role;

export function actorName(actor: Actor): string {
  if (actor.kind === "operator") return actor.person?.name ?? "operator";
  return actor.kind === "key" ? actor.keyId : actor.name;
}

/** Latest expiry of anything the actor issues, ms since the epoch; null: unlimited. */
export const actsUntil = (actor: Actor): number | null =>
  actor.kind === "key" ? actor.expiresAt : null;

/** Prevents a short-lived key from creating a permanent one. */
export const outlives = (expiresAt: number | null, actor: Actor): boolean => {
  const until = actsUntil(actor);
  return until !== null && (expiresAt === null || expiresAt > until);
};

export const isExpired = (key: Pick<ApiKey, "expiresAt">, now: number): boolean =>
  key.expiresAt !== null && key.expiresAt <= now;

export function bearerOf(header: string | undefined): string | null {
  const match = /^Bearer +(\S+) *$/i.exec(header ?? "");
  return match?.[1] ?? null;
}
