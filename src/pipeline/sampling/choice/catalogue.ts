/** The bundled catalogue until a synced one was read. Refreshed off the path of calls. */
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Catalogue, Model } from "../../../domain/models/model.ts";
import type { CatalogueStore } from "../../../domain/ports/catalogues.ts";
import { catalogueOn } from "../../../domain/models/retirement.ts";
import { ok } from "../../../domain/result.ts";

const lookEveryMs = 5 * 60_000;

export interface HeldCatalogue {
  current(): Catalogue;
  put(catalogue: Catalogue): void;
  /** `true` for one caller per interval. */
  isDue(now: number): boolean;
}

/** `always`: models that no sync knows, such as the demo's. */
export function holdCatalogue(parts: {
  seed: Catalogue;
  always: readonly Model[];
  now: () => number;
}): HeldCatalogue {
  const whole = ({ version, models }: Catalogue): Catalogue => ({
    version,
    models: [...models, ...parts.always],
  });
  let held = whole(parts.seed);
  let nextLook = 0;
  return {
    current: () => catalogueOn(held, parts.now()),
    put(catalogue) {
      held = whole(catalogue);
    },
    isDue(now) {
      if (now < nextLook) return false;
      nextLook = now + lookEveryMs;
      return true;
    },
  };
}

/** Models are transferred only if they are newer. */
export const createCatalogueReader =
  (deps: { held: HeldCatalogue; catalogues: CatalogueStore }) =>
  async (): AsyncResult<Catalogue> => {
    const { held, catalogues } = deps;
    const newer = await catalogues.newerThan(held.current().version);
    if (!newer.ok) return newer;
    if (newer.value !== null) held.put(newer.value);
    return ok(held.current());
  };

export type CatalogueReader = ReturnType<typeof createCatalogueReader>;
