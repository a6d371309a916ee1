import { memoizedByObject } from "../memoized.ts";
import { canonicalName, canonicalOf } from "./canonical-name.ts";
import { nameOf, type Model } from "./model.ts";

const namesOf = memoizedByObject(
  (model: Model): ReadonlySet<string> =>
    new Set([nameOf(model), model.id, ...model.aliases].map((own) => own.toLowerCase())),
);

/** @param name `provider/id`, id, alias or canonical name, case-insensitive */
export function isNamed(model: Model, name: string): boolean {
  const wanted = name.toLowerCase();
  if (namesOf(model).has(wanted)) return true;
  const canonical = canonicalName(wanted);
  return canonical !== null && canonicalOf(model) === canonical;
}
