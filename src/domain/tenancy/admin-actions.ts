/** Required permission by `operationId`; completeness is checked by the compiler. */
import { actsAs, type Actor } from "./access.ts";
import { roleMay, roles, type Permission, type Role } from "./scopes.ts";

const permissionFor = {
  createTenant: "change",
  listTenants: "view",
  readTenant: "view",
  renameTenant: "change",
  deleteTenant: "change",
  readPolicy: "view",
  replacePolicy: "change",
  changePolicy: "change",
  tryPolicy: "view",
  readSignIn: "view",
  replaceSignIn: "change",
  removeSignIn: "change",
  trySignIn: "change",
  finishSignInTrial: "change",
  readCeiling: "view",
  replaceCeiling: "change",
  createKey: "change",
  listKeys: "view",
  readKey: "view",
  changeKey: "change",
  revokeKey: "change",
  rotateKey: "change",
  createCredential: "change",
  listCredentials: "view",
  readCredential: "view",
  updateCredential: "change",
  deleteCredential: "change",
  checkCredential: "change",
  listModels: "view",
  putModel: "change",
  deleteModel: "change",
  createServer: "change",
  listServers: "view",
  readServer: "view",
  updateServer: "change",
  deleteServer: "change",
  authorizeServer: "change",
  checkServer: "change",
  readServerInstall: "view",
  listApprovals: "view",
  readApproval: "approve",
  decideApproval: "approve",
  listAlerts: "view",
  testAlert: "change",
  listGrants: "view",
  revokeGrant: "change",
  createUser: "change",
  listUsers: "view",
  forgetUser: "change",
  listWebhooks: "view",
  rotateWebhookSecret: "change",
  listWebhookHeaders: "view",
  replaceWebhookHeader: "change",
  listSessions: "view",
  endSession: "change",
  listRequests: "view",
  streamRequests: "view",
  // captured content also requires `content`, see `pipeline/admin/audit/records.ts`
  readRequest: "view",
  replayRequest: "view",
  correctRequest: "change",
  exportRequests: "audit",
  listSeals: "audit",
  readUsage: "view",
  readTopUsage: "view",
  readUsageOfAll: "view",
  readLimits: "view",
  listEvents: "view",
  listTenantEvents: "view",
  readCatalogue: "view",
  syncCatalogue: "change",
} as const satisfies Record<string, Permission>;

export type AdminAction = keyof typeof permissionFor;

export const rolesFor = (action: AdminAction): Role[] =>
  roles.filter((role) => roleMay(role, permissionFor[action]));

const operatorsAlone: ReadonlySet<AdminAction> = new Set([
  "createTenant",
  "deleteTenant",
  "readCeiling",
  "replaceCeiling",
  "correctRequest",
  "readUsageOfAll",
  "readCatalogue",
  "syncCatalogue",
]);

/** `operator`: use cases refuse a tenant's keys and users, after checking access to the tenant. */
export const reachOf = (action: AdminAction): "tenant" | "operator" =>
  operatorsAlone.has(action) ? "operator" : "tenant";

export const mayAct = (actor: Actor, action: AdminAction): boolean =>
  roleMay(actsAs(actor), permissionFor[action]);
