/**
 * The machine's identity at AWS, in the order of AWS's SDKs. Source:
 * https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html
 */
import { parsedJson } from "../../domain/json.ts";
import { stsUrl } from "../../domain/models/cloud-place.ts";
import { err, ok } from "../../domain/result.ts";
import { isLoopback } from "../../domain/servers/upstreams.ts";
import { grantInSts, grantOfSession } from "../../oauth/sts.ts";
import { askHost, textIn, type Granted, type IdentitySources } from "./sources.ts";

/** ms after which keys of the environment are read again. */
const environmentLifeMs = 900_000;

/** Source: https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html */
async function byWebIdentity(
  sources: IdentitySources,
  { file, roleArn, region }: { file: string; roleArn: string; region: string },
): Granted {
  const { platform, readText } = sources;
  let token: string;
  try {
    token = (await readText(file)).trim();
  } catch {
    return err("no_host_identity");
  }
  const answered = await askHost(sources, {
    url: platform["AWS_ENDPOINT_URL_STS"] ?? stsUrl(platform["AWS_REGION"] ?? region),
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    body: new URLSearchParams({
      Action: "AssumeRoleWithWebIdentity",
      Version: "2011-06-15",
      RoleArn: roleArn,
      RoleSessionName: platform["AWS_ROLE_SESSION_NAME"] ?? "sampling-router",
      WebIdentityToken: token,
    }).toString(),
  });
  if (!answered.ok) return answered;
  const { status, text } = answered.value;
  return grantInSts({ isOk: status < 300, xml: text });
}

/** The JSON of container and instance credentials. */
function sessionIn({ status, text }: { status: number; text: string }): Awaited<Granted> {
  if (status === 404) return err("no_host_identity");
  const given = parsedJson(text);
  if (status !== 200) return err("invalid_client");
  return grantOfSession({
    id: textIn(given, "AccessKeyId"),
    secret: textIn(given, "SecretAccessKey"),
    token: textIn(given, "Token"),
    expiration: textIn(given, "Expiration"),
  });
}

const containerHosts = new Set(["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"]);

/** Sends the authorization token only as AWS's SDKs do. */
function isContainerUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  return url.protocol === "https:" || isLoopback(url.hostname) || containerHosts.has(url.hostname);
}

/** Source: https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html */
async function byContainer(sources: IdentitySources, url: string): Granted {
  if (!isContainerUrl(url)) return err("not_allowed");
  const { platform, readText } = sources;
  const file = platform["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"];
  let authorization = platform["AWS_CONTAINER_AUTHORIZATION_TOKEN"];
  try {
    if (file !== undefined) authorization = (await readText(file)).trim();
  } catch {
    return err("no_host_identity");
  }
  const headers = authorization === undefined ? {} : { authorization };
  const answered = await askHost(sources, { url, headers });
  return answered.ok ? sessionIn(answered.value) : answered;
}

/** Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html (IMDSv2) */
async function byInstance(sources: IdentitySources): Granted {
  const root = sources.platform["AWS_EC2_METADATA_SERVICE_ENDPOINT"] ?? "http://169.254.169.254";
  const metadata = `${root}/latest/meta-data/iam/security-credentials/`;
  const began = await askHost(sources, {
    url: `${root}/latest/api/token`,
    method: "PUT",
    headers: { "x-aws-ec2-metadata-token-ttl-seconds": "60" },
  });
  if (!began.ok) return began;
  if (began.value.status !== 200) return err("no_host_identity");
  const headers = { "x-aws-ec2-metadata-token": began.value.text };
  const roles = await askHost(sources, { url: metadata, headers });
  if (!roles.ok) return roles;
  const [role = ""] = roles.value.text.trim().split("\n");
  if (roles.value.status !== 200 || role === "") return err("no_host_identity");
  const url = `${metadata}${encodeURIComponent(role.trim())}`;
  const answered = await askHost(sources, { url, headers });
  return answered.ok ? sessionIn(answered.value) : answered;
}

export function awsIdentity(sources: IdentitySources, region: string): Granted {
  const { platform, now } = sources;
  const accessKeyId = platform["AWS_ACCESS_KEY_ID"];
  const secretAccessKey = platform["AWS_SECRET_ACCESS_KEY"];
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    const sessionToken = platform["AWS_SESSION_TOKEN"];
    const keys = {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
    };
    return Promise.resolve(
      ok({ token: JSON.stringify(keys), expiresAt: now() + environmentLifeMs }),
    );
  }
  const file = platform["AWS_WEB_IDENTITY_TOKEN_FILE"];
  const roleArn = platform["AWS_ROLE_ARN"];
  if (file !== undefined && roleArn !== undefined)
    return byWebIdentity(sources, { file, roleArn, region });
  const relative = platform["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
  if (relative !== undefined) return byContainer(sources, `http://169.254.170.2${relative}`);
  const full = platform["AWS_CONTAINER_CREDENTIALS_FULL_URI"];
  if (full !== undefined) return byContainer(sources, full);
  return platform["AWS_EC2_METADATA_DISABLED"] === "true"
    ? Promise.resolve(err("no_host_identity"))
    : byInstance(sources);
}
