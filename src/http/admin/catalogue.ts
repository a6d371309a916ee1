import { z } from "@hono/zod-openapi";
import { adminApp, endpointsOf } from "./endpoint.ts";
import { millis } from "./schemas.ts";

export const version = z.string().openapi({
  description: "Starts with the UTC day on which the catalogue last changed.",
  example: "2026-11-21.1a2b3c4d",
});
const shown = z
  .object({
    version,
    models: z.int(),
    syncedAt: millis.nullable().openapi({ description: "null if never synced" }),
    dueAt: millis.nullable(),
    fault: z.string().nullable().openapi({ description: "Why the last file was refused." }),
  })
  .openapi("Catalogue");

const price = z.object({ input: z.number().nullable(), output: z.number().nullable() });
const outcome = z
  .object({
    state: z.enum(["synced", "unchanged", "refused"]),
    version: version.optional(),
    changes: z
      .object({
        added: z.array(z.string()),
        estimated: z.array(z.string()).openapi({
          description: "Added models whose intelligence is estimated from the price.",
        }),
        retired: z.array(z.string()),
        repriced: z.array(z.object({ model: z.string(), from: price, to: price })),
        implausible: z.array(z.string()),
      })
      .optional(),
    fault: z.string().optional().openapi({ description: "Why the file was refused." }),
  })
  .openapi("CatalogueSync");

export function catalogueRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Catalogue");
  endpoint({
    route: "get /",
    id: "readCatalogue",
    summary: "Get the catalogue's state (operator)",
    description:
      "The version in use, its number of models, and the times of the last and next sync.",
    answer: shown,
    run: ({ admin, actor }) => admin.catalogue.show(actor),
  });
  endpoint({
    route: "post /sync",
    id: "syncCatalogue",
    summary: "Sync the catalogue now (operator)",
    description:
      "Downloads CATALOGUE_URL and uses the file if it is valid. The response lists added, retired and repriced models.",
    answer: outcome,
    run: ({ admin, actor }) => admin.catalogue.sync(actor),
  });
  return app;
}
