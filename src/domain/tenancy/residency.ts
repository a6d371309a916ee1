/**
 * Where a tenant's data lives, in the words of Cloudflare's Durable Objects: a hint where the object is made, and a
 * jurisdiction that its data never leaves. Both are chosen when the tenant is made, and hold for good.
 */

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

/** An absent member: nobody asked. */
export interface Residency {
  region?: Region;
  jurisdiction?: Jurisdiction;
}

export const isSameResidency = (one: Residency | null, other: Residency | null): boolean =>
  one?.region === other?.region && one?.jurisdiction === other?.jurisdiction;
