import { canonicalJson } from "../../../domain/canonical.ts";
import type { Policy, Raise } from "../../../domain/choice/policy.ts";
import { beyondCeiling } from "../../../domain/limits/ceilings.ts";
import type { Tenant } from "../../../domain/ports/stores.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import { err, ok, type Result } from "../../../domain/result.ts";

const refused = (at: number, member: string, detail: string): Result<never, Refusal> =>
  err({ reason: "invalid_params", path: `raises.${at}.${member}`, detail });

const textOf = ({ by: _, ...raise }: Raise): string => canonicalJson({ ...raise });

/** @param actor as in events, @param now ms since the epoch */
export function withRaisers(
  policy: Policy,
  about: { tenant: Pick<Tenant, "id" | "policy" | "ceiling">; actor: string; now: number },
): Result<Policy, Refusal> {
  const { tenant, actor, now } = about;
  const { raises, ...rest } = policy;
  if (raises === undefined) return ok(policy);
  const before = new Map((tenant.policy.raises ?? []).map((raise) => [textOf(raise), raise]));
  const named: Raise[] = [];
  for (const [at, raise] of raises.entries()) {
    const stood = before.get(textOf(raise));
    if (raise.until <= now) {
      if (stood === undefined) return refused(at, "until", "A time to come is needed.");
      continue;
    }
    const beyond =
      raise.subject === tenant.id ? beyondCeiling(raise.limits, tenant.ceiling.limits) : null;
    if (beyond !== null)
      return refused(
        at,
        `limits.${beyond.name}`,
        `At most ${beyond.max}, which is the operator's ceiling for this tenant.`,
      );
    named.push(stood ?? { ...raise, by: actor });
  }
  return ok(named.length === 0 ? rest : { ...rest, raises: named });
}
