/** Whose limits apply to a call: the tenant's, the key's, the server's, and those of whatever else it names. */
import { narrowed } from "../domain/limits/ceilings.ts";
import { smallestBudget, type LimitedScope } from "../domain/limits/holds.ts";
import type { CallNames } from "../domain/choice/call-names.ts";
import type { User } from "../domain/tenancy/user.ts";
import type { Limits, Policy, ServerPolicy, TagPolicy } from "../domain/choice/policy.ts";
import type { Caller } from "./authenticate.ts";
import type { Snapshot } from "../domain/ports/stores.ts";

/** The registered server that asks for sampling, and its policy. */
export interface AskingServer {
  id: string;
  policy: ServerPolicy;
}

/** Whom a call names beside its key and server. */
export interface NamedBy extends CallNames {
  /** the person on whose behalf the caller calls */
  user?: User;
}

/** Keys don't share runs: no key can use up the run of another. */
const namedScopes = ({ tenant, key }: Pick<Snapshot, "tenant" | "key">, by: NamedBy) => {
  const { tags, runs, perUser } = tenant.policy;
  const { tag, run, user } = by;
  const scopes: LimitedScope[] = [];
  if (user !== undefined && perUser !== undefined)
    scopes.push({ scope: "user", subject: `user:${user.id}`, limits: perUser });
  if (tag !== undefined)
    scopes.push({ scope: "tag", subject: subjectOfTag(tag), limits: limitsOfTag(tags, tag) });
  if (run !== undefined) {
    const { callsPerRun, usdPerRun } = runs ?? {};
    const limits = {
      ...(callsPerRun !== undefined && { callsPerRun }),
      ...(usdPerRun !== undefined && { usdPerRun }),
    };
    scopes.push({ scope: "run", subject: `run:${key.id}:${run}`, limits });
  }
  return scopes;
};

export const subjectOfTag = (tag: string): string => `tag:${tag}`;

const limitsOfTag = (tags: TagPolicy | undefined, tag: string): Limits => {
  const own = tags?.limits ?? {};
  return (Object.hasOwn(own, tag) ? own[tag] : tags?.each) ?? {};
};

/** Whether a budget may apply that not every call has. */
export const mayNameBudget = ({ tags, runs, perUser }: Policy): boolean =>
  runs?.usdPerRun !== undefined ||
  [perUser, tags?.each, ...Object.values(tags?.limits ?? {})].some(
    (limits = {}) => smallestBudget([{ scope: "tag", subject: "", limits }]) !== null,
  );

export function scopesOf(
  snapshot: Pick<Snapshot, "tenant" | "key">,
  server: AskingServer | null,
  by: NamedBy = {},
): LimitedScope[] {
  const { tenant, key } = snapshot;
  const scopes: LimitedScope[] = [
    {
      scope: "tenant",
      subject: tenant.id,
      ...narrowed(tenant.policy.limits ?? {}, tenant.ceiling?.limits),
    },
    { scope: "key", subject: key.id, limits: key.limits },
  ];
  if (server !== null)
    scopes.push({ scope: "server", subject: server.id, limits: server.policy.limits ?? {} });
  return [...scopes, ...namedScopes(snapshot, by)];
}

/** Who is charged for a call. */
export interface Charged {
  caller: Pick<Caller, "snapshot" | "user">;
  server: AskingServer | null;
  /** the tag and the run that the call names; absent: it names none */
  names?: CallNames;
}

export const scopesFor = ({ caller, server, names }: Charged): LimitedScope[] =>
  scopesOf(caller.snapshot, server, {
    ...names,
    ...(caller.user !== undefined && { user: caller.user }),
  });
