/**
 * From a call and its caller to a plan: capabilities first, then what was negotiated, then the choice.
 */
import { missingFrom, requiredFor } from "../domain/capabilities.ts";
import { fieldFrom, type Field, type FieldPolicy } from "../domain/field.ts";
import type { JsonObject } from "../domain/json.ts";
import { smallestBudget } from "../domain/limits.ts";
import { modelsOf, type Catalogue } from "../domain/models.ts";
import type { Features } from "../domain/negotiation.ts";
import { defaultToolRounds } from "../domain/policy.ts";
import type { Snapshot } from "../domain/ports.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { checkToolHistory, toolRoundsOf, type SamplingCall } from "../domain/sampling.ts";
import { choose, type Plan } from "../domain/selection.ts";
import { recordOf, shape, shapingOf } from "../domain/shaping.ts";
import { scopesOf, type AskingServer } from "./scopes.ts";

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
  plan(
    call: SamplingCall,
    snapshot: Snapshot,
    declared: Declared,
    /** the registered server that asks; absent or null: the caller asks for itself */
    server?: AskingServer | null,
  ): Result<Planned, Refusal>;
}

interface Prepared {
  catalogue: Catalogue;
  serverPolicy: string;
  field: Field;
}

/** The tenant's policy and the asking server's together: the narrower of each. */
function policyFor(snapshot: Snapshot, server: AskingServer | null): FieldPolicy {
  const { allowedModels, deniedModels, maxTokens } = snapshot.tenant.policy;
  const most = Math.min(
    maxTokens ?? Number.POSITIVE_INFINITY,
    server?.policy.maxTokens ?? Number.POSITIVE_INFINITY,
  );
  return {
    ...(allowedModels !== undefined && { allowedModels }),
    ...(deniedModels !== undefined && { deniedModels }),
    ...(Number.isFinite(most) && { maxTokens: most }),
    ...(server !== null && { server: server.policy }),
    ...(smallestBudget(scopesOf(snapshot, server)) !== null && { budgeted: true }),
  };
}

export function createChooser(deps: { catalogue: () => Catalogue; now: () => number }): Chooser {
  // One snapshot serves many requests; what was measured in it is as old as the snapshot is.
  const prepared = new WeakMap<Snapshot, Map<string, Prepared>>();
  const fieldOf = (snapshot: Snapshot, server: AskingServer | null): Field => {
    const catalogue = deps.catalogue();
    const fields = prepared.get(snapshot) ?? new Map<string, Prepared>();
    prepared.set(snapshot, fields);
    const asking = server?.id ?? "";
    // A server may be younger than the snapshot that it is asked with.
    const serverPolicy = server === null ? "" : JSON.stringify(server.policy);
    const known = fields.get(asking);
    if (known?.catalogue === catalogue && known.serverPolicy === serverPolicy) return known.field;
    const { credentials, overrides, health } = snapshot;
    const field = fieldFrom({
      models: modelsOf(catalogue, credentials, overrides),
      credentials,
      catalogueVersion: catalogue.version,
      policy: policyFor(snapshot, server),
      health,
      now: deps.now(),
    });
    fields.set(asking, { catalogue, serverPolicy, field });
    return field;
  };
  return {
    fieldOf: (snapshot) => fieldOf(snapshot, null),
    plan(asked, snapshot, { capabilities, features }, server = null) {
      const { policy } = snapshot.tenant;
      if (server?.policy.disabled === true)
        return err({ reason: "forbidden", action: "sampling for this server is switched off" });
      const needs = {
        tools: asked.tools.length > 0 || asked.toolChoice !== undefined,
        outputModalities: asked.outputModalities,
      };
      const requiredCapabilities = missingFrom(requiredFor(needs), capabilities);
      if (requiredCapabilities !== null)
        return err({ reason: "capability_missing", requiredCapabilities });
      const history = checkToolHistory(asked.messages);
      if (!history.ok) return history;
      const rounds = Math.min(
        policy.toolRounds ?? defaultToolRounds,
        server?.policy.toolRounds ?? Number.POSITIVE_INFINITY,
      );
      if (toolRoundsOf(asked.messages) > rounds)
        return err({ reason: "forbidden", action: `more than ${rounds} tool rounds` });
      const shaping = shapingOf(features, policy.rules ?? []);
      const call = shape(asked, shaping);
      const plan = choose(call, fieldOf(snapshot, server), recordOf(features, shaping));
      // Not spread: the decision is made when it is read.
      if (plan.ok) return ok(Object.assign(plan.value, { call }));
      return plan.error.reason === "no_eligible_model" && snapshot.credentials.length === 0
        ? err({ ...plan.error, cause: "no_credential" })
        : plan;
    },
  };
}
