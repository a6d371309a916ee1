import { z } from "@hono/zod-openapi";
import { ok } from "../../domain/result.ts";
import { adminApp, endpoint, pageOf, pageRequestOf, tenantParams } from "./endpoint.ts";
import { model, modelChange, modelId, provider } from "./model-schemas.ts";
import { pageQuery } from "./schemas.ts";

/** Ids may contain slashes, such as `@cf/meta/llama-3.1-8b`. */
const modelParams = tenantParams.extend({
  provider,
  model: modelId,
});
const override = z
  .object({ provider: z.string(), id: z.string(), change: modelChange })
  .openapi("ModelOverride");

/** The console needs the whole catalogue in one page. */
const modelsQuery = pageQuery.extend({
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
});

export function modelRoutes() {
  const app = adminApp();
  const tag = "Models";
  endpoint(app, {
    method: "get",
    path: "/{tenant}/models",
    id: "listModels",
    tag,
    summary: "The catalogue as this tenant sees it, by name",
    description:
      "Every model of the catalogue with the tenant's overrides, where each figure came from, and whether the model can be chosen now.",
    params: tenantParams,
    query: modelsQuery,
    answer: pageOf(model),
    run: ({ admin, actor, params, query }) =>
      admin.models.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint(app, {
    method: "put",
    path: "/{tenant}/models/{provider}/{model{.+}}",
    id: "putModel",
    tag,
    summary: "Override a model of the catalogue, or define one",
    description:
      "Replaces the tenant's override of one model. A model that the catalogue does not have is defined by it. Figures that the body leaves out stay as the catalogue has them.",
    params: modelParams,
    body: modelChange,
    answer: override,
    run: async ({ admin, actor, params, body }) => {
      const change = { provider: params.provider, id: params.model, change: body };
      const put = await admin.models.put(actor, params.tenant, change);
      return put.ok ? ok(change) : put;
    },
  });
  endpoint(app, {
    method: "delete",
    path: "/{tenant}/models/{provider}/{model{.+}}",
    id: "deleteModel",
    tag,
    summary: "Take an override back",
    description:
      "The model is what the catalogue says again. A model that only the override defined is gone.",
    params: modelParams,
    run: ({ admin, actor, params }) =>
      admin.models.remove(actor, params.tenant, params.provider, params.model),
  });
  return app;
}
