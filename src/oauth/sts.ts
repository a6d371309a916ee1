/** Answers of AWS's Security Token Service, which are XML. */
import type { AwsKeys } from "../domain/models/cloud-place.ts";
import type { CloudGrant } from "../domain/ports/cloud-tokens.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { OauthFault } from "../domain/servers/oauth.ts";

const elementIn = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]{1,8192})</${name}>`).exec(xml)?.[1];

/** Source: https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
function faultIn(xml: string): OauthFault {
  const code = elementIn(xml, "Code");
  if (code === "AccessDenied") return "role_refused";
  return /signature (expired|not yet current)|requestexpired/i.test(xml)
    ? "wrong_clock"
    : "invalid_client";
}

interface Session {
  id: string | undefined;
  secret: string | undefined;
  token: string | undefined;
  /** ISO 8601 */
  expiration: string | undefined;
}

export function grantOfSession({
  id,
  secret,
  token,
  expiration,
}: Session): Result<CloudGrant, OauthFault> {
  const expiresAt = Date.parse(expiration ?? "");
  if (!id || !secret || !token || Number.isNaN(expiresAt)) return err("malformed");
  const keys: AwsKeys = { accessKeyId: id, secretAccessKey: secret, sessionToken: token };
  return ok({ token: JSON.stringify(keys), expiresAt });
}

export function grantInSts({
  isOk,
  xml,
}: {
  isOk: boolean;
  xml: string;
}): Result<CloudGrant, OauthFault> {
  if (!isOk) return err(faultIn(xml));
  return grantOfSession({
    id: elementIn(xml, "AccessKeyId"),
    secret: elementIn(xml, "SecretAccessKey"),
    token: elementIn(xml, "SessionToken"),
    expiration: elementIn(xml, "Expiration"),
  });
}
