import { z } from "@hono/zod-openapi";
import { adminApp, endpoint } from "./endpoint.ts";
import { millis } from "./schemas.ts";

const version = z.string().openapi({ example: "2026-11-21.1a2b3c4d" });
const shown = z
  .object({
    version,
    models: z.int(),
    syncedAt: millis.nullable().openapi({ description: "null: never, so it is the seed" }),
    dueAt: millis.nullable(),
    fault: z.string().nullable().openapi({ description: "Why the last file was not taken." }),
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
          description: "Of the added ones, those whose intelligence is estimated from their price.",
        }),
        retired: z.array(z.string()),
        repriced: z.array(z.object({ model: z.string(), from: price, to: price })),
        odd: z.array(z.string()),
      })
      .optional(),
    fault: z.string().optional().openapi({ description: "Why the file was not taken." }),
  })
  .openapi("CatalogueSync");

export function catalogueRoutes() {
  const app = adminApp();
  const tag = "Catalogue";
  endpoint(app, {
    method: "get",
    path: "/",
    id: "readCatalogue",
    tag,
    summary: "Which catalogue is at hand, for the operator",
    description:
      "The version in use, how many models it has, when it was synced last and when the next sync is due. For the operator.",
    answer: shown,
    run: ({ admin, actor }) => admin.catalogue.show(actor),
  });
  endpoint(app, {
    method: "post",
    path: "/sync",
    id: "syncCatalogue",
    tag,
    summary: "Sync with CATALOGUE_URL now, due or not, for the operator",
    description:
      "Reads CATALOGUE_URL at once and takes the file if it passes the checks. The answer lists what was added, retired and repriced. For the operator.",
    answer: outcome,
    run: ({ admin, actor }) => admin.catalogue.sync(actor),
  });
  return app;
}
