/** A cloud's credential as administrators write it. */
import { withoutTrailing } from "../../../domain/bounded-url.ts";
import { isObject, own, parsedJson } from "../../../domain/json.ts";
import {
  isCloud,
  partitionOf,
  type AwsKeys,
  type Cloud,
  type CloudAuth,
  type CloudPlace,
  type Geography,
  type ServiceAccount,
} from "../../../domain/models/cloud-place.ts";
import { problemWithBedrockId } from "../../../domain/models/bedrock-models.ts";
import type { DeclaredModel } from "../../../domain/models/model.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import { err, ok, type Result } from "../../../domain/result.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";

export interface Deployment {
  id: string;
  /** `provider/model` in the catalogue */
  model: string;
  /** paid by the hour, so that calls cost nothing more */
  provisioned?: boolean | undefined;
}

export type WrittenAuth =
  | { apiKey: string }
  | { tenantId: string; clientId: string; clientSecret: string }
  | AwsKeys
  | { roleArn: string }
  | { hostIdentity: true }
  | { serviceAccount: unknown };

export interface CloudMembers {
  auth?: WrittenAuth | undefined;
  endpoint?: string | undefined;
  deployments?: Deployment[] | undefined;
  region?: string | undefined;
  geography?: Geography | null | undefined;
  project?: string | undefined;
  location?: string | undefined;
  tokenUrl?: string | undefined;
}

type Member = keyof CloudMembers;

/** In addition to `auth` and `tokenUrl`. */
const membersOf: Readonly<Record<Cloud, readonly Member[]>> = {
  azure: ["endpoint", "deployments"],
  bedrock: ["region", "geography"],
  vertex: ["project", "location"],
};
const all: readonly Member[] = ["auth", "tokenUrl", ...Object.values(membersOf).flat()];

type Written = CloudMembers & { provider: string; apiKey?: string | undefined };
type Read<T> = Result<T, Refusal>;

const invalid = (path: string, detail: string): Read<never> =>
  err({ reason: "invalid_params", path, detail });

/** Portals show the endpoint with and without the path of the API. */
const withoutApi = (endpoint: string): string =>
  withoutTrailing(withoutTrailing(endpoint, "/").replace(/\/openai(\/v1)?$/, ""), "/");

/** A key file's other members are dropped: its `token_uri` could send the signed assertion elsewhere. */
function serviceAccountIn(written: unknown): Read<ServiceAccount> {
  const path = "auth.serviceAccount";
  const file = typeof written === "string" ? parsedJson(written) : written;
  if (!isObject(file)) return invalid(path, "Not the JSON of a key file.");
  if (own(file, "type") !== "service_account")
    return invalid(path, 'Only key files of the type "service_account" are supported.');
  const texts = ["client_email", "private_key_id", "private_key"].map((name) => own(file, name));
  const [clientEmail, privateKeyId, privateKey] = texts;
  if (typeof clientEmail !== "string" || typeof privateKey !== "string")
    return invalid(path, "client_email or private_key is missing.");
  if (!privateKey.includes("-----BEGIN PRIVATE KEY-----"))
    return invalid(path, "private_key isn't a PEM of PKCS #8.");
  const id = typeof privateKeyId === "string" ? privateKeyId : "";
  return ok({ clientEmail, privateKeyId: id, privateKey });
}

function authIn(auth: WrittenAuth | undefined): Read<CloudAuth | undefined> {
  if (auth === undefined || !("serviceAccount" in auth)) return ok(auth);
  const serviceAccount = serviceAccountIn(auth.serviceAccount);
  return serviceAccount.ok ? ok({ serviceAccount: serviceAccount.value }) : serviceAccount;
}

const kindOf = (auth: CloudAuth): CloudPlace["auth"] => {
  if ("apiKey" in auth) return "apiKey";
  if ("clientSecret" in auth) return "clientSecret";
  if ("roleArn" in auth) return "role";
  if ("hostIdentity" in auth) return "hostIdentity";
  return "serviceAccount" in auth ? "serviceAccount" : "accessKey";
};

const kindsOf: { [C in Cloud]: readonly Extract<CloudPlace, { cloud: C }>["auth"][] } = {
  azure: ["apiKey", "clientSecret", "hostIdentity"],
  bedrock: ["apiKey", "accessKey", "role", "hostIdentity"],
  vertex: ["serviceAccount", "hostIdentity"],
};

interface Placing {
  cloud: Cloud;
  auth: CloudPlace["auth"];
  tokenUrl?: string;
}

/** Partitions of AWS share no identities, ARNs, or inference profiles. */
function problemWithRegion(
  { geography, auth }: { geography?: string | null | undefined; auth?: WrittenAuth | undefined },
  region: string,
): Read<never> | null {
  if (region.includes("-iso"))
    return invalid("region", "Isolated regions of AWS aren't supported.");
  const { name } = partitionOf(region);
  const isFitting =
    name === "aws-us-gov" ? geography === "us-gov" : name === "aws" && geography !== "us-gov";
  if (geography && !isFitting)
    return invalid("geography", `The region ${region} has no inference profiles of ${geography}.`);
  return auth !== undefined && "roleArn" in auth && !auth.roleArn.startsWith(`arn:${name}:`)
    ? invalid("auth.roleArn", `Roles for the region ${region} begin with arn:${name}:iam.`)
    : null;
}

function placed(
  shared: Placing,
  written: CloudMembers,
  before: CloudPlace | null,
): Read<CloudPlace> {
  const known = before as Partial<Record<Member, string | null>> | null;
  const valueOf = (name: Member): string | null | undefined =>
    (written[name] as string | null | undefined) ?? known?.[name];
  const missing = membersOf[shared.cloud].find(
    (name) => !["geography", "deployments"].includes(name) && valueOf(name) === undefined,
  );
  if (missing !== undefined) return invalid(missing, `"${shared.cloud}" needs it.`);
  const geography = written.geography === undefined ? known?.["geography"] : written.geography;
  const problem =
    shared.cloud === "bedrock"
      ? problemWithRegion({ ...written, geography }, valueOf("region") ?? "")
      : null;
  if (problem !== null) return problem;
  const its = {
    azure: () => ({ endpoint: withoutApi(valueOf("endpoint") ?? "") }),
    bedrock: () => ({ region: valueOf("region"), geography: geography ?? null }),
    vertex: () => ({ project: valueOf("project"), location: valueOf("location") }),
  }[shared.cloud]();
  return ok({ ...shared, ...its } as CloudPlace);
}

export interface CloudRead {
  /** `null` for other providers */
  place: CloudPlace | null;
  /** what is sealed; `undefined` if the input has no secret */
  secret: string | undefined;
}

/** @param before the place that is changed */
export function cloudIn(
  actor: Actor,
  written: Written,
  before: CloudPlace | null = null,
): Read<CloudRead> {
  const { provider, apiKey } = written;
  const own_ = isCloud(provider) ? ["auth", "tokenUrl", ...membersOf[provider]] : [];
  const stray = all.find((name) => written[name] !== undefined && !own_.includes(name));
  if (stray !== undefined) return invalid(stray, `"${provider}" has no such member.`);
  if (!isCloud(provider)) return ok({ place: null, secret: apiKey });
  if (apiKey !== undefined) return invalid("apiKey", `"${provider}" takes auth in its place.`);
  if (written.tokenUrl !== undefined && actor.kind !== "operator")
    return err({ reason: "forbidden", action: "only the operator can set tokenUrl" });
  const read = authIn(written.auth);
  if (!read.ok) return read;
  const auth = read.value;
  const kind = auth === undefined ? before?.auth : kindOf(auth);
  if (kind === undefined || !kindsOf[provider].some((each) => each === kind))
    return invalid("auth", `"${provider}" takes ${kindsOf[provider].join(", ")}.`);
  const tokenUrl = written.tokenUrl ?? before?.tokenUrl;
  const shared = { cloud: provider, auth: kind, ...(tokenUrl !== undefined && { tokenUrl }) };
  const place = placed(shared, written, before);
  return place.ok
    ? ok({ place: place.value, secret: auth === undefined ? undefined : JSON.stringify(auth) })
    : place;
}

const free = { inputUsdPerMTok: 0, outputUsdPerMTok: 0, cachedInputUsdPerMTok: 0 } as const;

/** Deployments have the figures of their base models. */
export const modelsIn = (deployments: readonly Deployment[]): DeclaredModel[] =>
  deployments.map(({ id, model, provisioned }) => ({
    id,
    like: model,
    ...(provisioned === true && { ...free, priceTiers: [], mediaPrices: {} }),
  }));

export const deploymentsOf = (models: readonly DeclaredModel[] | null): Deployment[] =>
  (models ?? []).flatMap(({ id, like, outputUsdPerMTok }) =>
    like === undefined
      ? []
      : [{ id, model: like, ...(outputUsdPerMTok === 0 && { provisioned: true }) }],
  );

/** A model of a credential stays in its region and geography. */
export function checkPlaces(
  place: CloudPlace | null,
  models: readonly DeclaredModel[] | null | undefined,
): Read<null> {
  if (place?.cloud !== "bedrock") return ok(null);
  for (const [at, { id }] of (models ?? []).entries()) {
    const problem = problemWithBedrockId(place, id);
    if (problem !== null) return invalid(`models.${at}.id`, problem);
  }
  return ok(null);
}
