/** Who is calling, and what that one may do. */
import type { Limits } from "./policy.ts";

export const scopes = ["sampling", "proxy", "tenant-admin"] as const;
export type Scope = (typeof scopes)[number];

export interface ApiKey {
  id: string;
  tenantId: string;
  name: string;
  scopes: Scope[];
  /** ms since the epoch; null: never */
  expiresAt: number | null;
  revokedAt: number | null;
  limits: Limits;
  createdAt: number;
}

/** Who acts on the admin API. */
export type Actor =
  | { kind: "operator" }
  | {
      kind: "key";
      keyId: string;
      tenantId: string;
      /** ms since the epoch, of the key that acts; null: never */
      expiresAt: number | null;
    };

/** Until when (ms since the epoch) anything may be good that an actor hands out; null: without an end. */
export const actsUntil = (actor: Actor): number | null =>
  actor.kind === "operator" ? null : actor.expiresAt;

/** Else whoever holds a key for a day could make one for good. */
export const outlives = (expiresAt: number | null, actor: Actor): boolean => {
  const until = actsUntil(actor);
  return until !== null && (expiresAt === null || expiresAt > until);
};

export const isExpired = (key: Pick<ApiKey, "expiresAt">, now: number): boolean =>
  key.expiresAt !== null && key.expiresAt <= now;
