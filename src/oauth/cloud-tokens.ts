/** Exchanges clouds' secrets for access tokens: Entra ID, Google, and AWS STS. */
import { AwsV4Signer } from "aws4fetch";
import {
  clientCredentialsGrantRequest,
  ClientSecretPost,
  genericTokenEndpointRequest,
  processClientCredentialsResponse,
  processGenericTokenEndpointResponse,
  ResponseBodyError,
} from "oauth4webapi";
import {
  stsUrl,
  type AwsKeys,
  type CloudPlace,
  type ServiceAccount,
} from "../domain/models/cloud-place.ts";
import type { CloudGrant, HostIdentity, ObtainToken } from "../domain/ports/cloud-tokens.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { OauthFault } from "../domain/servers/oauth.ts";
import { expiryOf } from "./client.ts";
import { createExchange, type Exchange, type ExchangeDeps } from "./exchange.ts";
import { signedAssertion } from "./service-account.ts";
import { grantInSts } from "./sts.ts";

interface Deps extends Omit<ExchangeDeps, "idTokens"> {
  now: () => number;
  /** the operator's identity at AWS; `null` if not configured */
  aws: AwsKeys | null;
  /** absent on Workers */
  hostIdentity?: HostIdentity | undefined;
  /** assumes roles without `aws`; absent if the operator doesn't allow it */
  roleIdentity?: HostIdentity | undefined;
}

type Granted = Promise<Result<CloudGrant, OauthFault>>;

/** Source: https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
const entraUrl = (tenantId: string): string =>
  `https://login.microsoftonline.com/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
/** Source: https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle */
const azureScope = "https://ai.azure.com/.default";

/** Source: https://developers.google.com/identity/protocols/oauth2/service-account#httprest */
const googleUrl = "https://oauth2.googleapis.com/token";
const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

const serverAt = (url: string) => ({ issuer: new URL(url).origin, token_endpoint: url });

function byClientSecret(
  exchange: Exchange,
  auth: { tenantId: string; clientId: string; clientSecret: string },
  { place, now }: { place: CloudPlace; now: () => number },
): Granted {
  const as = serverAt(place.tokenUrl ?? entraUrl(auth.tenantId));
  const client = { client_id: auth.clientId };
  return exchange.attempt(async () => {
    const secret = ClientSecretPost(auth.clientSecret);
    const scope = { scope: azureScope };
    const answer = await clientCredentialsGrantRequest(as, client, secret, scope, exchange.options);
    const granted = await processClientCredentialsResponse(as, client, answer);
    return { token: granted.access_token, expiresAt: expiryOf(granted.expires_in, now()) };
  });
}

/** Google explains a wrong `iat` or `exp` only in words. */
const isAboutTime = (thrown: unknown): boolean =>
  thrown instanceof ResponseBodyError &&
  /timeframe|iat and exp/i.test(thrown.error_description ?? "");

async function byServiceAccount(
  exchange: Exchange,
  account: ServiceAccount,
  { place, now }: { place: CloudPlace; now: () => number },
): Granted {
  const url = place.tokenUrl ?? googleUrl;
  const assertion = await signedAssertion(account, { audience: googleUrl, now: now() });
  if (assertion === null) return err("invalid_client");
  const as = serverAt(url);
  const client = { client_id: account.clientEmail };
  let isClockWrong = false;
  const granted = await exchange.attempt(async () => {
    const noClient = () => {};
    const answer = await genericTokenEndpointRequest(
      as,
      client,
      noClient,
      jwtBearer,
      { assertion },
      exchange.options,
    );
    try {
      const given = await processGenericTokenEndpointResponse(as, client, answer);
      return { token: given.access_token, expiresAt: expiryOf(given.expires_in, now()) };
    } catch (thrown) {
      isClockWrong = isAboutTime(thrown);
      throw thrown;
    }
  });
  return isClockWrong ? err("wrong_clock") : granted;
}

const sessionSeconds = 3_600;

async function operatorKeys(
  { aws, roleIdentity }: Pick<Deps, "aws" | "roleIdentity">,
  place: CloudPlace,
): Promise<Result<AwsKeys, OauthFault>> {
  if (aws !== null) return ok(aws);
  if (roleIdentity === undefined) return err("no_aws_identity");
  const granted = await roleIdentity(place);
  return granted.ok ? ok(JSON.parse(granted.value.token) as AwsKeys) : granted;
}

async function byRole(
  exchange: Exchange,
  role: { roleArn: string; externalId: string },
  { place, now, ...deps }: Deps & { place: CloudPlace & { cloud: "bedrock" } },
): Granted {
  const operator = await operatorKeys(deps, place);
  if (!operator.ok) return operator;
  const { region } = place;
  const url = place.tokenUrl ?? stsUrl(region);
  const body = new URLSearchParams({
    Action: "AssumeRole",
    Version: "2011-06-15",
    RoleArn: role.roleArn,
    RoleSessionName: "sampling-router",
    ExternalId: role.externalId,
    DurationSeconds: String(sessionSeconds),
  }).toString();
  const signer = new AwsV4Signer({
    url,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    body,
    ...operator.value,
    service: "sts",
    region,
    datetime: new Date(now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ""),
  });
  const { headers } = await signer.sign();
  const answered = await exchange.attempt(async () => {
    const answer = await exchange.fetch(url, {
      method: "POST",
      headers: Object.fromEntries(headers),
      body,
    });
    return { isOk: answer.ok, xml: await answer.text() };
  });
  if (!answered.ok) return answered;
  return grantInSts(answered.value);
}

export const createCloudTokens =
  (deps: Deps): ObtainToken =>
  async ({ auth, place, externalId }) => {
    if ("hostIdentity" in auth) return deps.hostIdentity?.(place) ?? err("no_host_identity");
    const exchange = createExchange({ ...deps, idTokens: "drop" });
    const at = { ...deps, place };
    if ("clientSecret" in auth) return byClientSecret(exchange, auth, at);
    if ("serviceAccount" in auth) return byServiceAccount(exchange, auth.serviceAccount, at);
    return "roleArn" in auth && place.cloud === "bedrock"
      ? byRole(exchange, { ...auth, externalId }, { ...deps, place })
      : err("not_allowed");
  };
