/** What a person or a key may do on the admin API. */
import type { Scope } from "./access.ts";

export const roles = ["viewer", "auditor", "approver", "admin"] as const;
export type Role = (typeof roles)[number];

/** The role that a key's scopes give; null: the key has no place on the admin API. */
export const roleOf = (scopes: readonly Scope[]): Role | null =>
  scopes.includes("tenant-admin") ? "admin" : null;
