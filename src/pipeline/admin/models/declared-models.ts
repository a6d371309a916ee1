import {
  credentialsFor,
  type CredentialSummary,
  type DeclaredModel,
} from "../../../domain/models/model.ts";
import { likedBy, modelsOf } from "../../../domain/models/tenant-models.ts";
import type { OverrideStore } from "../../../domain/ports/overrides.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { err, ok } from "../../../domain/result.ts";
import type { CatalogueReader } from "../../sampling/choice/catalogue.ts";

export function createDeclaredModels(deps: {
  overrides: Pick<OverrideStore, "list">;
  catalogue: CatalogueReader;
}) {
  /** A credential without a usable model is rejected, since the mistake would go unnoticed. */
  const servesSomething = async (
    tenantId: string,
    credential: CredentialSummary & { baseUrl: string | null },
  ): AsyncResult<null> => {
    if (credential.models !== null && credential.models.length > 0) return ok(null);
    const [catalogue, overrides] = await Promise.all([
      deps.catalogue(),
      deps.overrides.list(tenantId),
    ]);
    if (!catalogue.ok) return catalogue;
    if (!overrides.ok) return overrides;
    const own = credential.place ? [credential] : [];
    const models = modelsOf(catalogue.value, own, overrides.value);
    if (models.some((model) => credentialsFor(model, [credential]).length > 0)) return ok(null);
    const { provider, baseUrl } = credential;
    const place = baseUrl === null ? "its list of models" : `GET ${baseUrl}/models`;
    return err({
      reason: "invalid_params",
      path: "models",
      detail: `The router knows no model that "${provider}" serves. Send models, such as [{"id": "<model>"}]: ${place} names them.`,
    });
  };

  const knowsAlike = async (models: DeclaredModel[] | null | undefined): AsyncResult<null> => {
    const liking = (models ?? []).filter(({ like }) => like !== undefined);
    if (liking.length === 0) return ok(null);
    const catalogue = await deps.catalogue();
    if (!catalogue.ok) return catalogue;
    const stray = liking.find(({ like = "" }) => likedBy(catalogue.value, like) === undefined);
    if (stray === undefined) return ok(null);
    const path = `models.${models?.indexOf(stray)}.like`;
    const detail = "The catalogue has no such model. GET …/models names those that it has.";
    return err({ reason: "invalid_params", path, detail });
  };

  return { servesSomething, knowsAlike };
}
