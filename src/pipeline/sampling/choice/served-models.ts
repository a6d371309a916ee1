import { nameOf, type Model } from "../../../domain/models/model.ts";
import type { Caller } from "../../callers/authenticate.ts";
import type { Chooser } from "./choose.ts";

/** Sorted by name. Includes models with an open circuit, which is temporary. */
export const createServedModels =
  ({ chooser }: { chooser: Pick<Chooser, "poolFor"> }) =>
  ({ snapshot }: Pick<Caller, "snapshot">): Model[] =>
    chooser
      .poolFor(snapshot)
      .ranked.filter(({ exclusion }) => exclusion === null)
      .map(({ model }) => model)
      .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

export type ServedModels = ReturnType<typeof createServedModels>;
