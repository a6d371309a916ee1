/** The tag and run of a call. Their limits only narrow those of tenant, key and server. */
import type { Refusal } from "../refusals.ts";
import { tagMember, runMember, type SamplingCall } from "../sampling/call.ts";
import type { Policy } from "./policy.ts";

export type CallNames = Pick<SamplingCall, "tag" | "run">;

const refused = (member: string, detail: string): Refusal => ({
  reason: "invalid_params",
  path: `metadata["${member}"]`,
  detail,
});

export function refusalOfNames({ tag, run }: CallNames, { tags, runs }: Policy): Refusal | null {
  if (tag === undefined && tags?.required === true)
    return refused(tagMember, "The tenant's policy requires a tag.");
  if (tag !== undefined && tags?.allowed?.includes(tag) === false)
    return refused(tagMember, `One of ${tags.allowed.join(", ")}, by the tenant's policy.`);
  return run === undefined && runs?.required === true
    ? refused(runMember, "The tenant's policy requires a run.")
    : null;
}
