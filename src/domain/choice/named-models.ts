import { own } from "../json.ts";
import { isNamed } from "../models/named.ts";
import type { Model } from "../models/model.ts";
import type { Requirements } from "../requirements.ts";
import type { SamplingCall } from "../sampling/call.ts";
import { speaks } from "../wires/spoken.ts";
import type { Policy } from "./policy.ts";

export const autoModel = "auto";

/** In `fallbacks`: every model that has no entry of its own. */
const anyModel = "*";

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

export const isFallbackFor = ({ model }: Names, served: Model): boolean =>
  model !== undefined && !isNamed(served, model);

type Names = Pick<Requirements, "model" | "fallbacks" | "endpoint">;

/** -1: not named. Of two copies of a model, the one with the caller's API comes first. */
export function rankOfNamed(served: Model, { model, fallbacks = [], endpoint }: Names): number {
  if (model === undefined) return -1;
  const at = [model, ...fallbacks].findIndex((name) => isNamed(served, name));
  if (at === -1) return -1;
  return 2 * at + (endpoint === undefined || speaks(served, endpoint) ? 0 : 1);
}
