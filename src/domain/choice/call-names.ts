/** The tag and run of a call. Their limits only narrow those of tenant, key and server. */
import type { Refusal } from "../refusals.ts";
import { tagMember, runMember, type SamplingCall } from "../sampling/call.ts";
import type { Policy } from "./policy.ts";

export type CallNames = Pick<SamplingCall, "tag" | "run">;

/** Callers of model endpoints name them in headers. */
export const nameHeaders = { tag: "X-Router-Tag", run: "X-Router-Run" } as const;
const members = { tag: tagMember, run: runMember };

export function refusalOfNames(
  { tag, run, endpoint }: CallNames & Pick<SamplingCall, "endpoint">,
  { tags, runs }: Policy,
): Refusal | null {
  const refused = (name: keyof typeof members, detail: string): Refusal => ({
    reason: "invalid_params",
    path: endpoint === undefined ? `metadata["${members[name]}"]` : nameHeaders[name],
    detail,
  });
  if (tag === undefined && tags?.required === true)
    return refused("tag", "The tenant's policy requires a tag.");
  if (tag !== undefined && tags?.allowed?.includes(tag) === false)
    return refused("tag", `One of ${tags.allowed.join(", ")}, by the tenant's policy.`);
  return run === undefined && runs?.required === true
    ? refused("run", "The tenant's policy requires a run.")
    : null;
}
