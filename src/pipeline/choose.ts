/** From a call and its caller to a plan: capabilities first, then the choice. */
import { missingFor } from "../domain/capabilities.ts";
import type { JsonObject } from "../domain/json.ts";
import { modelsOf, type Catalogue, type Model } from "../domain/models.ts";
import type { Snapshot } from "../domain/ports.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, type Result } from "../domain/result.ts";
import { checkToolHistory, type SamplingCall } from "../domain/sampling.ts";
import { choose, type Field, type Plan } from "../domain/selection.ts";

export interface Chooser {
  /** The catalogue as this tenant sees it. */
  fieldOf(snapshot: Snapshot): Field;
  plan(call: SamplingCall, snapshot: Snapshot, capabilities: JsonObject): Result<Plan, Refusal>;
}

export function createChooser(deps: { catalogue: Catalogue }): Chooser {
  const merged = new WeakMap<Snapshot, readonly Model[]>();
  const fieldOf = (snapshot: Snapshot): Field => {
    let models = merged.get(snapshot);
    if (models === undefined) {
      models = modelsOf(deps.catalogue, snapshot.credentials, snapshot.overrides);
      merged.set(snapshot, models);
    }
    return {
      models,
      credentials: snapshot.credentials,
      catalogueVersion: deps.catalogue.version,
      policy: snapshot.tenant.policy,
    };
  };
  return {
    fieldOf,
    plan(call, snapshot, capabilities) {
      const needs = {
        tools: call.tools.length > 0 || call.toolChoice !== undefined,
        outputModalities: call.outputModalities,
      };
      const requiredCapabilities = missingFor(needs, capabilities);
      if (requiredCapabilities !== null)
        return err({ reason: "capability_missing", requiredCapabilities });
      const history = checkToolHistory(call.messages);
      return history.ok ? choose(call, fieldOf(snapshot)) : history;
    },
  };
}
