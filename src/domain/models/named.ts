/** Whether a model is the one that a caller names. */
import { canonicalName, canonicalOf } from "./canonical-name.ts";
import { nameOf, type Model } from "./model.ts";

/**
 * @param name `provider/id`, an id or an alias, in any case; or any name that means the same model, since several places
 * serve it
 */
export function isNamed(model: Model, name: string): boolean {
  const wanted = name.toLowerCase();
  if ([nameOf(model), model.id, ...model.aliases].some((own) => own.toLowerCase() === wanted))
    return true;
  const canonical = canonicalName(wanted);
  return canonical !== null && canonicalOf(model) === canonical;
}
