/**
 * From a call and its caller to a plan: capabilities first, then what was negotiated, then the choice.
 */
import { missingFrom, requiredFor } from "../domain/capabilities.ts";
import type { JsonObject } from "../domain/json.ts";
import { modelsOf, type Catalogue, type Model } from "../domain/models.ts";
import type { Features } from "../domain/negotiation.ts";
import { defaultToolRounds } from "../domain/policy.ts";
import type { Snapshot } from "../domain/ports.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { checkToolHistory, toolRoundsOf, type SamplingCall } from "../domain/sampling.ts";
import { choose, type Field, type Plan } from "../domain/selection.ts";
import { recordOf, shape, shapingOf } from "../domain/shaping.ts";

/** What the client on whose behalf is sampled declared. */
export interface Declared {
  /** as its revision knows them */
  capabilities: JsonObject;
  features: Features;
}

export interface Planned extends Plan {
  /** the call as the model will get it */
  call: SamplingCall;
}

export interface Chooser {
  /** The catalogue as this tenant sees it. */
  fieldOf(snapshot: Snapshot): Field;
  plan(call: SamplingCall, snapshot: Snapshot, declared: Declared): Result<Planned, Refusal>;
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
    plan(asked, snapshot, { capabilities, features }) {
      const { policy } = snapshot.tenant;
      const needs = {
        tools: asked.tools.length > 0 || asked.toolChoice !== undefined,
        outputModalities: asked.outputModalities,
      };
      const requiredCapabilities = missingFrom(requiredFor(needs), capabilities);
      if (requiredCapabilities !== null)
        return err({ reason: "capability_missing", requiredCapabilities });
      const history = checkToolHistory(asked.messages);
      if (!history.ok) return history;
      const rounds = policy.toolRounds ?? defaultToolRounds;
      if (toolRoundsOf(asked.messages) > rounds)
        return err({ reason: "forbidden", action: `more than ${rounds} tool rounds` });
      const shaping = shapingOf(features, policy.rules ?? []);
      const call = shape(asked, shaping);
      const plan = choose(call, fieldOf(snapshot));
      if (!plan.ok) return plan;
      const negotiation = recordOf(features, shaping);
      const { decision } = plan.value;
      return ok({
        ...plan.value,
        call,
        decision: negotiation === null ? decision : { ...decision, negotiation },
      });
    },
  };
}
