/** The operator's ceiling, which the tenant's own policy can only narrow. */
import type { Limits } from "../choice/policy.ts";

export interface Ceiling {
  limits: Limits;
  providers?: string[];
  stopped?: string;
}

export const firstCeiling: Ceiling = { limits: {} };

/** Providers that are called through a binding of the deployment, so the operator pays. */
export const operatorPaidProviders: ReadonlySet<string> = new Set(["workers-ai"]);

export const mayUse = ({ providers = [] }: Ceiling, provider: string): boolean =>
  !operatorPaidProviders.has(provider) || providers.includes(provider);

export function withheldBy(ceiling: Ceiling): ReadonlySet<string> | undefined {
  const withheld = [...operatorPaidProviders].filter((provider) => !mayUse(ceiling, provider));
  return withheld.length === 0 ? undefined : new Set(withheld);
}

const namesOf = (limits: Limits): (keyof Limits)[] => Object.keys(limits) as (keyof Limits)[];

export interface NarrowedLimits {
  limits: Limits;
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

export function beyondCeiling(
  own: Limits,
  ceiling: Limits,
): { name: keyof Limits; max: number } | null {
  for (const name of namesOf(ceiling)) {
    const max = ceiling[name];
    const limit = own[name];
    if (max !== undefined && limit !== undefined && limit > max) return { name, max };
  }
  return null;
}
