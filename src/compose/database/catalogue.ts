import { createCatalogueSource } from "../../catalogue/source.ts";
import { versionOf } from "../../catalogue/version.ts";
import type { CatalogueStore } from "../../domain/ports/catalogues.ts";
import { seedCatalogue } from "../../domain/models/catalogue.ts";
import {
  createCatalogueReader,
  type CatalogueReader,
} from "../../pipeline/sampling/choice/catalogue.ts";
import { createCatalogueJob, type CatalogueSyncDeps } from "../../pipeline/scheduled/catalogue.ts";
import type { Everywhere } from "../everywhere.ts";
import { catalogueDatabaseOf, clock, type Isolate } from "../isolate.ts";

export function createDatabaseCatalogue(
  { config, host, choosing }: Isolate,
  {
    name,
    stores,
    everywhere,
  }: { name: string; stores: { catalogues: CatalogueStore }; everywhere: Everywhere },
) {
  const keeper = catalogueDatabaseOf(name);
  const read: CatalogueReader = () => {
    const catalogues: CatalogueStore =
      keeper === name ? stores.catalogues : everywhere.catalogues();
    return createCatalogueReader({ held: choosing(keeper).catalogue, catalogues })();
  };
  /** `null` if the deployment doesn't sync or another database keeps the catalogue. */
  const sync = (): CatalogueSyncDeps | null =>
    config.catalogueUrl === null || keeper !== name
      ? null
      : {
          catalogues: stores.catalogues,
          source: createCatalogueSource({
            url: config.catalogueUrl,
            fetch: host.fetch,
            ends: host.ends,
          }),
          seed: seedCatalogue,
          versionOf,
          now: clock.now,
        };
  return {
    read,
    sync,
    job(): ReturnType<typeof createCatalogueJob> | null {
      const deps = sync();
      return (
        deps &&
        createCatalogueJob({
          ...deps,
          report(fault) {
            if (host.ends?.aborted !== true) host.log({ event: "catalogue", fault });
          },
        })
      );
    },
  };
}
