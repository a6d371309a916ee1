/** What a key's scopes open, and what a role may do on the admin API: the one table of both. */

export const roles = ["viewer", "auditor", "approver", "admin"] as const;
export type Role = (typeof roles)[number];

/** `tenant-admin` is the older name of `admin`. */
export const scopes = ["sampling", "models", "proxy", "tenant-admin", ...roles] as const;
export type Scope = (typeof scopes)[number];

/**
 * What an action on the admin API does. `view`: reads settings, figures and records. `audit`: gives evidence away,
 * which is exports and seals. `content`: shows captured content. `approve`: decides on held requests. `change`:
 * everything else.
 */
export type Permission = "view" | "audit" | "content" | "approve" | "change";

const permissionsOf: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: ["view"],
  auditor: ["view", "audit"],
  approver: ["view", "approve"],
  admin: ["view", "audit", "content", "approve", "change"],
};

const roleOfScope: Readonly<Record<Scope, Role | null>> = {
  sampling: null,
  models: null,
  proxy: null,
  "tenant-admin": "admin",
  viewer: "viewer",
  auditor: "auditor",
  approver: "approver",
  admin: "admin",
};

export const roleMay = (role: Role, permission: Permission): boolean =>
  permissionsOf[role].includes(permission);

/** null: the key has no place on the admin API, or several roles, which nobody can give it. */
export function roleOf(of: readonly Scope[]): Role | null {
  const found = new Set(of.flatMap((scope) => roleOfScope[scope] ?? []));
  const [role] = found;
  return found.size === 1 && role !== undefined ? role : null;
}

/** Whether a key has one role at most. */
export const hasOneRole = (of: readonly Scope[]): boolean =>
  new Set(of.flatMap((scope) => roleOfScope[scope] ?? [])).size <= 1;

/** What a way in demands of a key: a scope, or any role. */
export type Demand = "sampling" | "models" | "proxy" | "role";

export const opens = (of: readonly Scope[], demand: Demand): boolean =>
  demand === "role" ? roleOf(of) !== null : of.includes(demand);
