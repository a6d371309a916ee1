import { canonicalName, canonicalOf } from "./canonical-name.ts";
import { nameOf, type Model } from "./model.ts";

/** @param name `provider/id`, id, alias or canonical name, case-insensitive */
export function isNamed(model: Model, name: string): boolean {
  const wanted = name.toLowerCase();
  if ([nameOf(model), model.id, ...model.aliases].some((own) => own.toLowerCase() === wanted))
    return true;
  const canonical = canonicalName(wanted);
  return canonical !== null && canonicalOf(model) === canonical;
}
