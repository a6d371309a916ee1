/** Whether a model is the one that a caller names. */
import { nameOf, type Model } from "./model.ts";

/** @param name `provider/id`, an id or an alias, in any case */
export function isNamed(model: Model, name: string): boolean {
  const wanted = name.toLowerCase();
  return [nameOf(model), model.id, ...model.aliases].some((own) => own.toLowerCase() === wanted);
}
