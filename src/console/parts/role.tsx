import { roleMay, roles, type Permission } from "../../domain/tenancy/scopes.ts";
import { session } from "../session.ts";

interface NotForRoleProps {
  what: string;
  permission: Permission;
}

export const NotForRole = ({ what, permission }: NotForRoleProps) => (
  <p class="faint">
    Your role, {session.value?.actor.role}, {what}. A key with the role{" "}
    {roles.filter((role) => roleMay(role, permission)).join(" or ")} does.
  </p>
);
