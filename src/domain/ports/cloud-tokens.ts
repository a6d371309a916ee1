import type { CloudAuth, CloudPlace } from "../models/cloud-place.ts";
import type { Result } from "../result.ts";
import type { OauthFault } from "../servers/oauth.ts";

export interface CloudGrant {
  /** for roles: JSON of `AwsKeys` */
  token: string;
  /** ms since the epoch; null: unknown */
  expiresAt: number | null;
}

/** The identity that the router's machine has at the cloud. Never throws. */
export type HostIdentity = (place: CloudPlace) => Promise<Result<CloudGrant, OauthFault>>;

/** Exchanges a cloud's secret for an access token. Never throws. */
export type ObtainToken = (asked: {
  auth: CloudAuth;
  place: CloudPlace;
  /** of the tenant, for roles */
  externalId: string;
}) => Promise<Result<CloudGrant, OauthFault>>;
