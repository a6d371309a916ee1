/** Whose limits apply to a call: the tenant's, the key's, the server's, and those of whatever else it names. */
import { narrowed } from "../../domain/limits/ceilings.ts";
import {
  mostNodes,
  smallestBudget,
  type LimitedScope,
  type LimitScope,
} from "../../domain/limits/holds.ts";
import type { NodeLimits } from "../../domain/limits/resources.ts";
import { raisedLimits } from "../../domain/limits/raises.ts";
import type { CallNames } from "../../domain/choice/call-names.ts";
import type { User } from "../../domain/tenancy/user.ts";
import type {
  GroupPolicy,
  Limits,
  Policy,
  RunPolicy,
  ServerPolicy,
  TagPolicy,
} from "../../domain/choice/policy.ts";
import type { Caller } from "./authenticate.ts";
import type { Snapshot } from "../../domain/ports/stores.ts";

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

export const subjectOfUser = (id: string): string => `user:${id}`;
const ofGroup = "group:";
export const subjectOfGroup = (name: string): string => `${ofGroup}${name}`;
/** null: the subject is no group. */
export const groupOfSubject = (subject: string): string | null =>
  subject.startsWith(ofGroup) ? subject.slice(ofGroup.length) : null;
export const subjectOfTag = (tag: string): string => `tag:${tag}`;
/** Keys don't share runs: no key can use up the run of another. */
const subjectOfRun = (keyId: string, run: string): string => `run:${keyId}:${run}`;

/** Limits by name, and those of every other name. */
const limitsOfName = (limits: TagPolicy | GroupPolicy | undefined, name: string): Limits => {
  const own = limits?.limits ?? {};
  return (Object.hasOwn(own, name) ? own[name] : limits?.each) ?? {};
};

const runLimits = ({ callsPerRun, usdPerRun }: RunPolicy): NodeLimits => ({
  ...(callsPerRun !== undefined && { callsPerRun }),
  ...(usdPerRun !== undefined && { usdPerRun }),
});

/** What the policy says of a node for which a record has no column; {}: nothing. */
export function limitsOfNode(
  { perUser, groups, tags, runs }: Policy,
  { scope, subject }: Pick<LimitedScope, "scope" | "subject">,
): NodeLimits {
  const name = subject.slice(scope.length + 1);
  if (scope === "user") return perUser ?? {};
  if (scope === "group") return limitsOfName(groups, name);
  if (scope === "tag") return limitsOfName(tags, name);
  return scope === "run" ? runLimits(runs ?? {}) : {};
}

const isLimited = ({ limits }: LimitedScope): boolean => Object.keys(limits).length > 0;

function namedScopes({ tenant, key }: Pick<Snapshot, "tenant" | "key">, by: NamedBy) {
  const { tag, run, user } = by;
  const node = (scope: LimitScope, subject: string): LimitedScope => ({
    scope,
    subject,
    limits: limitsOfNode(tenant.policy, { scope, subject }),
  });
  const others = [
    ...(user === undefined ? [] : [node("user", subjectOfUser(user.id))]),
    ...(tag === undefined ? [] : [node("tag", subjectOfTag(tag))]),
    ...(run === undefined ? [] : [node("run", subjectOfRun(key.id, run))]),
  ].filter(isLimited);
  const own = tenant.policy.groups?.limits ?? {};
  const groups = [...new Set(user?.groups)]
    .toSorted((a, b) => Number(Object.hasOwn(own, b)) - Number(Object.hasOwn(own, a)))
    .map((group) => node("group", subjectOfGroup(group)))
    .filter(isLimited);
  // Where somebody is in more groups than a call can be charged at, groups with limits of their own go first.
  return [...others, ...groups.slice(0, mostNodes - others.length - nodesInColumns)];
}

/** Tenant, key and server. */
const nodesInColumns = 3;

/** Whether a budget may apply that not every call has. */
export const mayNameBudget = ({ tags, groups, runs, perUser }: Policy): boolean =>
  runs?.usdPerRun !== undefined ||
  [
    perUser,
    ...[tags, groups].flatMap((named) => [named?.each, ...Object.values(named?.limits ?? {})]),
  ].some((limits = {}) => smallestBudget([{ scope: "tag", subject: "", limits }]) !== null);

/** Runs that begin are counted at their key, of calls that name a run. */
function keyScope(
  { tenant, key }: Pick<Snapshot, "tenant" | "key">,
  { limits, run }: { limits: Limits; run: string | undefined },
): LimitedScope {
  const { newRunsPerDay, callsPerRun } = tenant.policy.runs ?? {};
  const scope: LimitedScope = { scope: "key", subject: key.id, limits };
  return run === undefined || newRunsPerDay === undefined || callsPerRun === undefined
    ? scope
    : { ...scope, limits: { ...limits, newRunsPerDay }, run: subjectOfRun(key.id, run) };
}

export interface ScopesAsked {
  server: AskingServer | null;
  /** absent: nobody and nothing beside key and server */
  by?: NamedBy;
  /** ms since the epoch: a raise ends by itself */
  now: number;
}

export function scopesOf(
  snapshot: Pick<Snapshot, "tenant" | "key">,
  { server, by = {}, now }: ScopesAsked,
): LimitedScope[] {
  const { tenant, key } = snapshot;
  const { limits = {}, raises } = tenant.policy;
  const at = <L extends Limits>(subject: string, own: L): L =>
    raisedLimits(own, { subject, raises, now });
  return [
    {
      scope: "tenant",
      subject: tenant.id,
      // A raise of the tenant's stays below the operator's ceiling.
      ...narrowed(at(tenant.id, limits), tenant.ceiling.limits),
    },
    keyScope(snapshot, { limits: at(key.id, key.limits), run: by.run }),
    ...(server === null
      ? []
      : [
          {
            scope: "server" as const,
            subject: server.id,
            limits: at(server.id, server.policy.limits ?? {}),
          },
        ]),
    ...namedScopes(snapshot, by).map((node) => ({
      ...node,
      limits: at<NodeLimits>(node.subject, node.limits),
    })),
  ];
}

/** Who is charged for a call, and when. */
export interface Charged {
  caller: Pick<Caller, "snapshot" | "user">;
  server: AskingServer | null;
  /** the tag and the run that the call names; absent: it names none */
  names?: CallNames;
  /** ms since the epoch */
  now: number;
}

export const scopesFor = ({ caller, server, names, now }: Charged): LimitedScope[] =>
  scopesOf(caller.snapshot, {
    server,
    by: { ...names, ...(caller.user !== undefined && { user: caller.user }) },
    now,
  });
