/** What a tenant's policy makes of a model's name: an alias of its own, or the models that may answer in its place. */
import { own } from "../json.ts";
import { isNamed } from "../models/named.ts";
import type { Model } from "../models/model.ts";
import type { Requirements } from "../requirements.ts";
import type { SamplingCall } from "../sampling/call.ts";
import { speaks } from "../wires/spoken.ts";
import type { Policy } from "./policy.ts";

/** The name by which a caller leaves the choice of a model to the router. */
export const autoModel = "auto";

/** In `fallbacks`: every model that has no entry of its own. */
const anyModel = "*";

/** The call with the preferences of the alias that it names. Its own headers win. */
export function calledByPolicy(
  call: SamplingCall,
  { aliases, fallbacks }: Pick<Policy, "aliases" | "fallbacks">,
): SamplingCall {
  const { model, ...rest } = call;
  if (model === undefined) return call;
  const alias = Object.hasOwn(aliases ?? {}, model) ? aliases?.[model] : undefined;
  if (alias !== undefined)
    return {
      ...rest,
      alias: model,
      hints: call.hints.length > 0 ? call.hints : (alias.hints ?? []),
      priorities: { ...alias.priorities, ...call.priorities },
    };
  const others = own(fallbacks, model) ?? own(fallbacks, anyModel);
  return others === undefined ? call : { ...call, fallbacks: others as string[] };
}

/** Whether a request names another model, in whose place this one may answer. */
export const isFallbackFor = ({ model }: Names, served: Model): boolean =>
  model !== undefined && !isNamed(served, model);

type Names = Pick<Requirements, "model" | "fallbacks" | "endpoint">;

/**
 * The rank of a model among those that a request names, the named one first: 0 and up; -1: it is none of them. Of two
 * places that have one model, the one that speaks the caller's API comes first.
 */
export function rankOfNamed(served: Model, { model, fallbacks = [], endpoint }: Names): number {
  if (model === undefined) return -1;
  const at = [model, ...fallbacks].findIndex((name) => isNamed(served, name));
  if (at === -1) return -1;
  return 2 * at + (endpoint === undefined || speaks(served, endpoint) ? 0 : 1);
}
