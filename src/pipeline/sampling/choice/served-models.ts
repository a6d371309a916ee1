/** The models that a caller can use now, for lists of models. */
import { nameOf, type Model } from "../../../domain/models/model.ts";
import type { Caller } from "../../callers/authenticate.ts";
import type { Chooser } from "./choose.ts";

/** Sorted by name. Models with an open circuit are included, since their faults pass. */
export const createServedModels =
  ({ chooser }: { chooser: Pick<Chooser, "poolFor"> }) =>
  ({ snapshot }: Pick<Caller, "snapshot">): Model[] =>
    chooser
      .poolFor(snapshot)
      .ranked.filter(({ exclusion }) => exclusion === null)
      .map(({ model }) => model)
      .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

export type ServedModels = ReturnType<typeof createServedModels>;
