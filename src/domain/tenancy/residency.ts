/** Data location on Cloudflare: a location hint and a jurisdiction for the Durable Object. Can't be changed later. */

import type { Jurisdiction } from "./tenant-databases.ts";

/** https://developers.cloudflare.com/durable-objects/reference/data-location/ */
export const regions = [
  "wnam",
  "enam",
  "sam",
  "weur",
  "eeur",
  "apac",
  "apac-ne",
  "apac-se",
  "oc",
  "afr",
  "me",
] as const;
export type Region = (typeof regions)[number];

export interface Residency {
  region?: Region;
  jurisdiction?: Jurisdiction;
}

export const isSameResidency = (one: Residency | null, other: Residency | null): boolean =>
  one?.region === other?.region && one?.jurisdiction === other?.jurisdiction;
