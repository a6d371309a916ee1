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
export type Actor = { kind: "operator" } | { kind: "key"; keyId: string; tenantId: string };

export const isExpired = (key: Pick<ApiKey, "expiresAt">, now: number): boolean =>
  key.expiresAt !== null && key.expiresAt <= now;
