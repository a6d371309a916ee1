export const roles = ["viewer", "auditor", "approver", "admin"] as const;
export type Role = (typeof roles)[number];

/** `tenant-admin` equals `admin`. */
export const scopes = ["sampling", "models", "proxy", "tenant-admin", ...roles] as const;
export type Scope = (typeof scopes)[number];

/** `audit`: exports and seals. `content`: captured content. `approve`: held requests. `change`: all writes. */
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

export function roleOf(of: readonly Scope[]): Role | null {
  const found = new Set(of.flatMap((scope) => roleOfScope[scope] ?? []));
  const [role] = found;
  return found.size === 1 && role !== undefined ? role : null;
}

export const hasOneRole = (of: readonly Scope[]): boolean =>
  new Set(of.flatMap((scope) => roleOfScope[scope] ?? [])).size <= 1;

export type Demand = "sampling" | "models" | "proxy" | "role";

export const opens = (of: readonly Scope[], demand: Demand): boolean =>
  demand === "role" ? roleOf(of) !== null : of.includes(demand);
