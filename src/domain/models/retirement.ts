/** Providers announce the day on which they shut a model down, so no sync is needed to know when it is gone. */
import { isoDay } from "../calendar.ts";
import type { Catalogue, Model } from "./model.ts";

const dayMs = 86_400_000;

/** How long before its end a model is named as ending. */
const noticeDays = 30;

const isPast = ({ retiresAt, status }: Model, day: string): boolean =>
  typeof retiresAt === "string" && status !== "retired" && retiresAt <= day;

/** Catalogues are replaced and never changed, and all callers on one day share one list. */
const byCatalogue = new WeakMap<Catalogue, { day: string; catalogue: Catalogue }>();

/** The catalogue on the day of `now`, in UTC: models are retired from the day of their shutdown on. */
export function catalogueOn(catalogue: Catalogue, now: number): Catalogue {
  const day = isoDay(now);
  const known = byCatalogue.get(catalogue);
  if (known?.day === day) return known.catalogue;
  const isCurrent = !catalogue.models.some((model) => isPast(model, day));
  const current: Catalogue = isCurrent
    ? catalogue
    : {
        ...catalogue,
        models: catalogue.models.map((model) =>
          isPast(model, day) ? { ...model, status: "retired" } : model,
        ),
      };
  byCatalogue.set(catalogue, { day, catalogue: current });
  return current;
}

/** Models that can be chosen today and are shut down within the next 30 days, soonest first. */
export function endingSoon<Each extends Pick<Model, "retiresAt" | "status">>(
  models: readonly Each[],
  now: number,
): Each[] {
  const last = isoDay(now + noticeDays * dayMs);
  const today = isoDay(now);
  return models
    .filter(
      ({ retiresAt, status }) =>
        status !== "retired" &&
        typeof retiresAt === "string" &&
        retiresAt > today &&
        retiresAt <= last,
    )
    .toSorted((a, b) => ((a.retiresAt ?? "") < (b.retiresAt ?? "") ? -1 : 1));
}
