/**
 * The catalogue that an isolate chooses from: the seed, until a synced one was read. Looking for a newer
 * one is never what a call waits for, so a sync is known to every isolate some minutes later.
 */
import type { AsyncResult } from "../domain/refusals.ts";
import type { Catalogue, Model } from "../domain/models/model.ts";
import type { CatalogueStore } from "../domain/ports/catalogues.ts";
import { ok } from "../domain/result.ts";

const lookEveryMs = 5 * 60_000;

export interface HeldCatalogue {
  current(): Catalogue;
  put(catalogue: Catalogue): void;
  /** True once each interval: whoever gets it, looks. One that is cut off costs one interval. */
  takesTurn(now: number): boolean;
}

/** `always`: models that no sync knows of, such as the demo's. */
export function holdCatalogue(about: { seed: Catalogue; always: readonly Model[] }): HeldCatalogue {
  const whole = ({ version, models }: Catalogue): Catalogue => ({
    version,
    models: [...models, ...about.always],
  });
  let held = whole(about.seed);
  let nextLook = 0;
  return {
    current: () => held,
    put(catalogue) {
      held = whole(catalogue);
    },
    takesTurn(now) {
      if (now < nextLook) return false;
      nextLook = now + lookEveryMs;
      return true;
    },
  };
}

/** One read of the database; the models come along only if they are newer than those held. */
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
