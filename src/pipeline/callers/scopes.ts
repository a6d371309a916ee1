import { narrowed } from "../../domain/limits/ceilings.ts";
import {
  maxNodes,
  smallestBudget,
  type LimitedScope,
  type LimitScope,
} from "../../domain/limits/limit-checks.ts";
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

export interface AskingServer {
  id: string;
  policy: ServerPolicy;
}

export interface NamedBy extends CallNames {
  user?: User;
}

export const subjectOfUser = (id: string): string => `user:${id}`;
const ofGroup = "group:";
export const subjectOfGroup = (name: string): string => `${ofGroup}${name}`;
export const groupOfSubject = (subject: string): string | null =>
  subject.startsWith(ofGroup) ? subject.slice(ofGroup.length) : null;
export const subjectOfTag = (tag: string): string => `tag:${tag}`;
/** Runs are per key, so no key can use up another's. */
const subjectOfRun = (keyId: string, run: string): string => `run:${keyId}:${run}`;

const limitsOfName = (limits: TagPolicy | GroupPolicy | undefined, name: string): Limits => {
  const own = limits?.limits ?? {};
  return (Object.hasOwn(own, name) ? own[name] : limits?.each) ?? {};
};

const runLimits = ({ callsPerRun, usdPerRun }: RunPolicy): NodeLimits => ({
  ...(callsPerRun !== undefined && { callsPerRun }),
  ...(usdPerRun !== undefined && { usdPerRun }),
});

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
  // Groups with limits of their own take precedence if there are too many.
  return [...others, ...groups.slice(0, maxNodes - others.length - nodesInColumns)];
}

const nodesInColumns = 3;

/** Whether a budget may apply to only some calls. */
export const mayNameBudget = ({ tags, groups, runs, perUser }: Policy): boolean =>
  runs?.usdPerRun !== undefined ||
  [
    perUser,
    ...[tags, groups].flatMap((named) => [named?.each, ...Object.values(named?.limits ?? {})]),
  ].some((limits = {}) => smallestBudget([{ scope: "tag", subject: "", limits }]) !== null);

/** New runs are counted per key. */
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
  by?: NamedBy;
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
      // A tenant's raise stays below the operator's ceiling.
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

export interface Charged {
  caller: Pick<Caller, "snapshot" | "user">;
  server: AskingServer | null;
  names?: CallNames;
  now: number;
}

export const scopesFor = ({ caller, server, names, now }: Charged): LimitedScope[] =>
  scopesOf(caller.snapshot, {
    server,
    by: { ...names, ...(caller.user !== undefined && { user: caller.user }) },
    now,
  });
