import { isoDay } from "../calendar.ts";
import type { Catalogue, Model } from "./model.ts";

const dayMs = 86_400_000;

const noticeDays = 30;

const isPast = ({ retiresAt, status }: Model, day: string): boolean =>
  typeof retiresAt === "string" && status !== "retired" && retiresAt <= day;

const byCatalogue = new WeakMap<Catalogue, { day: string; catalogue: Catalogue }>();

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
