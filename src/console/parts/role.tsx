import { roleMay, roles, type Permission } from "../../domain/tenancy/scopes.ts";
import { session } from "../session.ts";

export const NotForRole = ({ what, permission }: { what: string; permission: Permission }) => (
  <p class="faint">
    Your role, {session.value?.actor.role}, {what}. A key with the role{" "}
    {roles.filter((role) => roleMay(role, permission)).join(" or ")} does.
  </p>
);
