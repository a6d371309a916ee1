/** A cloud's credential as administrators write it. */
import { withoutTrailing } from "../../../domain/bounded-url.ts";
import {
  isCloud,
  type AzurePlace,
  type CloudAuth,
  type CloudPlace,
} from "../../../domain/models/cloud-place.ts";
import type { DeclaredModel } from "../../../domain/models/model.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import { err, ok, type Result } from "../../../domain/result.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";

export interface Deployment {
  id: string;
  /** `provider/model` in the catalogue */
  model: string;
}

export interface CloudMembers {
  auth?: CloudAuth | undefined;
  endpoint?: string | undefined;
  deployments?: Deployment[] | undefined;
  tokenUrl?: string | undefined;
}

const members = ["auth", "endpoint", "deployments", "tokenUrl"] as const;

type Written = CloudMembers & { provider: string; apiKey?: string | undefined };

const invalid = (path: string, detail: string): Result<never, Refusal> =>
  err({ reason: "invalid_params", path, detail });

/** Portals show the endpoint with and without the path of the API. */
const withoutApi = (endpoint: string): string =>
  withoutTrailing(withoutTrailing(endpoint, "/").replace(/\/openai(\/v1)?$/, ""), "/");

const kindOf = (auth: CloudAuth): AzurePlace["auth"] =>
  "apiKey" in auth ? "apiKey" : "clientSecret";

/**
 * `null` for other providers, which have no place.
 * @param before the place that is changed
 */
export function placeIn(
  actor: Actor,
  written: Written,
  before: CloudPlace | null = null,
): Result<CloudPlace | null, Refusal> {
  const { provider, auth } = written;
  if (!isCloud(provider)) {
    const stray = members.find((name) => written[name] !== undefined);
    return stray === undefined ? ok(null) : invalid(stray, `"${provider}" has no such member.`);
  }
  if (provider !== "azure") return invalid("provider", `"${provider}" is not supported yet.`);
  if (written.apiKey !== undefined)
    return invalid("apiKey", `"${provider}" takes auth: {"apiKey": …} in its place.`);
  if (written.tokenUrl !== undefined && actor.kind !== "operator")
    return err({ reason: "forbidden", action: "tokenUrl is the operator's" });
  const { endpoint = before?.endpoint, tokenUrl = before?.tokenUrl } = written;
  if (endpoint === undefined) return invalid("endpoint", "Set it to the resource's endpoint.");
  const kind = auth === undefined ? before?.auth : kindOf(auth);
  if (kind === undefined) return invalid("auth", `"${provider}" needs a key or a client secret.`);
  return ok({
    cloud: provider,
    endpoint: withoutApi(endpoint),
    auth: kind,
    ...(tokenUrl !== undefined && { tokenUrl }),
  });
}

/** What is sealed; `undefined` if the input has no secret. */
export const secretIn = ({ apiKey, auth }: Omit<Written, "provider">): string | undefined =>
  auth === undefined ? apiKey : JSON.stringify(auth);

/** Deployments have the figures of their base models. */
export const modelsIn = (deployments: readonly Deployment[]): DeclaredModel[] =>
  deployments.map(({ id, model }) => ({ id, like: model }));

export const deploymentsOf = (models: readonly DeclaredModel[] | null): Deployment[] =>
  (models ?? []).flatMap(({ id, like }) => (like === undefined ? [] : [{ id, model: like }]));
