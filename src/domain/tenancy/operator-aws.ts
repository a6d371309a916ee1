/** The operator's identity at AWS, with which the router assumes tenants' roles, and the machine's own. */
import type { AwsKeys } from "../models/cloud-place.ts";
import { err, ok, type Result } from "../result.ts";
import {
  parseHostIdentity,
  type HostIdentityEnvironment,
  type HostIdentityPermission,
} from "./host-identity.ts";

export const operatorAwsSettings = [
  "ASSUME_ROLE_ACCESS_KEY_ID",
  "ASSUME_ROLE_SECRET_ACCESS_KEY",
  "ASSUME_ROLE_SESSION_TOKEN",
] as const;
interface OperatorAwsEnvironment {
  ASSUME_ROLE_ACCESS_KEY_ID?: string;
  ASSUME_ROLE_SECRET_ACCESS_KEY?: string;
  ASSUME_ROLE_SESSION_TOKEN?: string;
}

function parseOperatorAws(
  given: OperatorAwsEnvironment,
): Result<AwsKeys | null, { setting: string; problem: string }> {
  const accessKeyId = given.ASSUME_ROLE_ACCESS_KEY_ID?.trim() ?? "";
  const secretAccessKey = given.ASSUME_ROLE_SECRET_ACCESS_KEY?.trim() ?? "";
  const sessionToken = given.ASSUME_ROLE_SESSION_TOKEN?.trim() ?? "";
  if (accessKeyId === "" && secretAccessKey === "") return ok(null);
  for (const [setting, value] of Object.entries({
    ASSUME_ROLE_ACCESS_KEY_ID: accessKeyId,
    ASSUME_ROLE_SECRET_ACCESS_KEY: secretAccessKey,
  }))
    if (value === "") return err({ setting, problem: "is missing" });
  return ok({ accessKeyId, secretAccessKey, ...(sessionToken !== "" && { sessionToken }) });
}

export type IdentityEnvironment = OperatorAwsEnvironment & HostIdentityEnvironment;

export function parseIdentities(
  given: IdentityEnvironment,
): Result<
  { operatorAws: AwsKeys | null; hostIdentity: HostIdentityPermission },
  { setting: string; problem: string }
> {
  const operatorAws = parseOperatorAws(given);
  if (!operatorAws.ok) return operatorAws;
  const hostIdentity = parseHostIdentity(given);
  return hostIdentity.ok
    ? ok({ operatorAws: operatorAws.value, hostIdentity: hostIdentity.value })
    : hostIdentity;
}
