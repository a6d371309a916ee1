/**
 * From a call and its caller to a plan: capabilities first, then what was negotiated, then the choice.
 */
import { missingFrom, requiredFor } from "../domain/capabilities.ts";
import { fieldFrom, type Field } from "../domain/field.ts";
import type { JsonObject } from "../domain/json.ts";
import { modelsOf, type Catalogue } from "../domain/models.ts";
import type { Features } from "../domain/negotiation.ts";
import { defaultToolRounds } from "../domain/policy.ts";
import type { Snapshot } from "../domain/ports.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { checkToolHistory, toolRoundsOf, type SamplingCall } from "../domain/sampling.ts";
import { choose, type Plan } from "../domain/selection.ts";
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

export function createChooser(deps: { catalogue: () => Catalogue; now: () => number }): Chooser {
  // One snapshot serves many requests; what was measured in it is as old as the snapshot is.
  const prepared = new WeakMap<Snapshot, { catalogue: Catalogue; field: Field }>();
  const fieldOf = (snapshot: Snapshot): Field => {
    const catalogue = deps.catalogue();
    const known = prepared.get(snapshot);
    if (known?.catalogue === catalogue) return known.field;
    const { credentials, overrides, health, tenant } = snapshot;
    const field = fieldFrom({
      models: modelsOf(catalogue, credentials, overrides),
      credentials,
      catalogueVersion: catalogue.version,
      policy: tenant.policy,
      health,
      now: deps.now(),
    });
    prepared.set(snapshot, { catalogue, field });
    return field;
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
      const plan = choose(call, fieldOf(snapshot), recordOf(features, shaping));
      // Not spread: the decision is made when it is read.
      return plan.ok ? ok(Object.assign(plan.value, { call })) : plan;
    },
  };
}
