import { z } from "@hono/zod-openapi";
import { ok } from "../../domain/result.ts";
import { version } from "./catalogue.ts";
import { adminApp, endpointsOf, pageOf, pageRequestOf } from "./endpoint.ts";
import { model, modelChange } from "./model-schemas.ts";
import { pageQuery } from "./schemas.ts";

/** Ids may contain slashes, such as `@cf/meta/llama-3.1-8b`. */
const override = z
  .object({ provider: z.string(), id: z.string(), change: modelChange })
  .openapi("ModelOverride");

/** The console needs the whole catalogue in one page. */
const modelsQuery = pageQuery.extend({
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
});

export function modelRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Models");
  endpoint({
    route: "get /{tenant}/models",
    id: "listModels",
    summary: "List the tenant's models, by name",
    description:
      "All catalogue models with the tenant's overrides, the source of each figure, and whether the model can be selected now.",
    query: modelsQuery,
    answer: pageOf(model).extend({ catalogueVersion: version }),
    run: ({ admin, actor, params, query }) =>
      admin.models.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint({
    route: "put /{tenant}/models/{provider}/{model{.+}}",
    id: "putModel",
    summary: "Override or define a model",
    description:
      "Replaces the tenant's override of a model, or defines a new model. Missing figures are as in the catalogue.",
    body: modelChange,
    answer: override,
    run: async ({ admin, actor, params, body }) => {
      const change = { provider: params.provider, id: params.model, change: body };
      const put = await admin.models.put(actor, params.tenant, change);
      return put.ok ? ok(change) : put;
    },
  });
  endpoint({
    route: "delete /{tenant}/models/{provider}/{model{.+}}",
    id: "deleteModel",
    summary: "Delete an override",
    description: "Resets the model to the catalogue's values, or deletes a defined model.",
    run: ({ admin, actor, params }) =>
      admin.models.remove(actor, params.tenant, params.provider, params.model),
  });
  return app;
}
