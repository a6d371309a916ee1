/** What the operator lets a tenant do at most. The tenant's own policy can only narrow it. */
import type { Limits } from "../choice/policy.ts";

export interface Ceiling {
  /** for the tenant as a whole; an absent member is no limit */
  limits: Limits;
  /** the members of `operatorPaidProviders` that the tenant may use; absent: none of them */
  providers?: string[];
  /** the operator's kill switch for the tenant: why; absent: it is off */
  stopped?: string;
}

/** The ceiling of a new tenant. */
export const firstCeiling: Ceiling = { limits: {} };

/**
 * Providers that are called with a binding of the deployment and without a key of the tenant's, so that the
 * operator pays.
 */
export const operatorPaidProviders: ReadonlySet<string> = new Set(["workers-ai"]);

/** One that the operator pays needs the operator's leave. */
export const mayUse = ({ providers = [] }: Ceiling, provider: string): boolean =>
  !operatorPaidProviders.has(provider) || providers.includes(provider);

/** The providers whose models the tenant may not use; undefined: none. */
export function withheldBy(ceiling: Ceiling): ReadonlySet<string> | undefined {
  const withheld = [...operatorPaidProviders].filter((provider) => !mayUse(ceiling, provider));
  return withheld.length === 0 ? undefined : new Set(withheld);
}

const namesOf = (limits: Limits): (keyof Limits)[] => Object.keys(limits) as (keyof Limits)[];

export interface NarrowedLimits {
  /** the smaller one of each limit */
  limits: Limits;
  /** which limits are the operator's; absent: none */
  fromCeiling?: ReadonlySet<keyof Limits>;
}

export function narrowed(own: Limits, ceiling: Limits | undefined): NarrowedLimits {
  if (ceiling === undefined) return { limits: own };
  const smaller = namesOf(ceiling).filter(
    (name) => (ceiling[name] ?? Number.POSITIVE_INFINITY) < (own[name] ?? Number.POSITIVE_INFINITY),
  );
  if (smaller.length === 0) return { limits: own };
  const limits = { ...own };
  for (const name of smaller) {
    const limit = ceiling[name];
    if (limit !== undefined) limits[name] = limit;
  }
  return { limits, fromCeiling: new Set(smaller) };
}

/** The first limit that is larger than the ceiling's; null: no limit is. */
export function beyondCeiling(
  own: Limits,
  ceiling: Limits,
): { name: keyof Limits; most: number } | null {
  for (const name of namesOf(ceiling)) {
    const most = ceiling[name];
    const limit = own[name];
    if (most !== undefined && limit !== undefined && limit > most) return { name, most };
  }
  return null;
}
