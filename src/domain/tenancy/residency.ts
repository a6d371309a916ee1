/** Data location on Cloudflare: a location hint and a jurisdiction for the Durable Object. Can't be changed later. */

import type { Jurisdiction } from "./tenant-databases.ts";

/** https://developers.cloudflare.com/durable-objects/reference/data-location/ */
export const regionTitles = {
  wnam: "Western North America",
  enam: "Eastern North America",
  sam: "South America",
  weur: "Western Europe",
  eeur: "Eastern Europe",
  apac: "Asia and the Pacific",
  "apac-ne": "North-east Asia",
  "apac-se": "South-east Asia",
  oc: "Oceania",
  afr: "Africa",
  me: "Middle East",
} as const;
export type Region = keyof typeof regionTitles;
export const regions = Object.keys(regionTitles) as Region[];

export interface Residency {
  region?: Region;
  jurisdiction?: Jurisdiction;
}

export const isSameResidency = (one: Residency | null, other: Residency | null): boolean =>
  one?.region === other?.region && one?.jurisdiction === other?.jurisdiction;
