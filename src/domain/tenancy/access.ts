/** Who is calling, and what the caller may do. */
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
  /** ms since the epoch; null: the key never expires */
  expiresAt: number | null;
  revokedAt: number | null;
  limits: Limits;
  /** id of the person for whom the key is; null or absent: it is of no person */
  userId?: string | null;
  createdAt: number;
}

/** A key as its row has it. */
export interface StoredKey extends ApiKey {
  /** hex SHA-256 of the token's secret part */
  secretHash: string;
  /** finders (`StoredUser`) of the people who were given a secret of the key: who made the key, who rotated it */
  givenTo: string[];
  /** a code under MASTER_KEY over `codedText` */
  code: string;
}

/** The parts of a key's row that must be as the router wrote them. A row with other values is no key. */
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

/** Who acts on the admin API. */
export type Actor =
  /** `person`: somebody in the operator's name, who may do what the role says; absent: the operator's token */
  | { kind: "operator"; person?: { name: string; role: Role; identity: Identity } }
  /** somebody whom the tenant's identity provider vouches for */
  | { kind: "person"; name: string; tenantId: string; role: Role; identity: Identity }
  | {
      kind: "key";
      keyId: string;
      tenantId: string;
      role: Role;
      /** ms since the epoch, end of the key that acts; null: it never ends */
      expiresAt: number | null;
    };

/** As whom an identity provider knows the actor; null: no provider does. */
export function identityOf(actor: Actor): Identity | null {
  if (actor.kind === "operator") return actor.person?.identity ?? null;
  return actor.kind === "person" ? actor.identity : null;
}

/** The operator's token may do whatever any role may, for every tenant. */
export const actsAs = (actor: Actor): Role =>
  actor.kind === "operator" ? (actor.person?.role ?? "admin") : actor.role;

/** What the log of events calls an actor. */
export function actorName(actor: Actor): string {
  if (actor.kind === "operator") return actor.person?.name ?? "operator";
  return actor.kind === "key" ? actor.keyId : actor.name;
}

/** ms since the epoch, until which anything that the actor hands out may be good; null: without an end. */
export const actsUntil = (actor: Actor): number | null =>
  actor.kind === "key" ? actor.expiresAt : null;

/** Without this rule, somebody who holds a key for a day could make a key for good. */
export const outlives = (expiresAt: number | null, actor: Actor): boolean => {
  const until = actsUntil(actor);
  return until !== null && (expiresAt === null || expiresAt > until);
};

export const isExpired = (key: Pick<ApiKey, "expiresAt">, now: number): boolean =>
  key.expiresAt !== null && key.expiresAt <= now;

/** The bearer token of an Authorization header; null: there is none. */
export function bearerOf(header: string | undefined): string | null {
  const match = /^Bearer +(\S+) *$/i.exec(header ?? "");
  return match?.[1] ?? null;
}
