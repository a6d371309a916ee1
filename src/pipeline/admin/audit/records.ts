import type { AsyncResult } from "../../../domain/refusals.ts";
import { actsAs, type Actor } from "../../../domain/tenancy/access.ts";
import { roleMay } from "../../../domain/tenancy/scopes.ts";
import type { SamplingRecord, Who } from "../../../domain/audit/record.ts";
import type { AdminEvent } from "../../../domain/admin-event.ts";
import { openedOf, sealedIn, type ProviderMessage } from "../../../domain/audit/capture.ts";
import type { JsonValue } from "../../../domain/json.ts";
import type {
  EventRequest,
  EventStore,
  Page,
  PageRequest,
  RequestStore,
  SessionStore,
  Vault,
} from "../../../domain/ports/stores.ts";
import type { AllNameStore } from "../../../domain/ports/names.ts";
import type { ApprovalStore } from "../../../domain/ports/approvals.ts";
import type { PlacementStore } from "../../../domain/ports/placements.ts";
import type { ListFilter } from "../../../domain/audit/record.ts";
import { ok } from "../../../domain/result.ts";
import type { JsonObject } from "../../../domain/json.ts";
import type { Modality } from "../../../domain/modality.ts";
import {
  forVersion,
  supportedModalities,
  supports,
} from "../../../domain/sampling/capabilities.ts";
import type { Session } from "../../../domain/tenancy/session.ts";
import { namesOfAll, namesOfSubjects } from "../../callers/subject-names.ts";
import { eventOf, present, tenantFor, type AdminDeps } from "../access/access.ts";

export interface Named {
  names: Record<string, string>;
}

const idsIn = ({ keyId, serverId, user }: Pick<Who, "keyId" | "serverId" | "user">): string[] =>
  [keyId, serverId ?? [], user ?? []].flat();

const subjectsOf = ({ actor, target }: AdminEvent): string[] => [actor, target];

/** `approved`: a held call that runs once its caller is connected */
export type ShownRecord = SamplingRecord & { approved?: true };

const marked = <R extends SamplingRecord>(
  record: R,
  approved: ReadonlySet<string>,
): ShownRecord & R => (approved.has(record.id) ? { ...record, approved: true } : record);

export interface RecordWithContent extends ShownRecord, Named {
  /** params and result; `null` if not captured, not permitted to the role, or no key opens it */
  content: JsonValue;
  providerMessages: ProviderMessage[];
}

interface ShownSession extends Omit<
  Session,
  "bridge" | "clientStreamUntil" | "routerStreamUntil" | "parkedUntil"
> {
  /** as interpreted in the session's revision */
  effective: JsonObject;
  /** in which the client accepts answers; empty if it declared no sampling */
  modalities: Modality[];
  requests: number;
}

const shownSession = (
  requests: number,
  {
    bridge: _bridge,
    clientStreamUntil: _client,
    routerStreamUntil: _router,
    parkedUntil: _parked,
    ...shown
  }: Session,
): ShownSession => {
  const effective = forVersion(shown.capabilities, shown.revision);
  const modalities = supports(effective, "sampling") ? supportedModalities(effective) : [];
  return { ...shown, effective, modalities, requests };
};

type AskedNames = (ids: readonly string[]) => AsyncResult<Record<string, string>>;

async function withNames<T>(
  listed: Awaited<AsyncResult<Page<T>>>,
  asked: AskedNames,
  idsOf: (entry: T) => readonly string[],
): AsyncResult<Page<T> & Named> {
  if (!listed.ok) return listed;
  const names = await asked(listed.value.data.flatMap(idsOf));
  return names.ok ? ok({ ...listed.value, names: names.value }) : names;
}

export function createRecordAdmin(
  deps: AdminDeps & {
    names: AllNameStore;
    placements: Pick<PlacementStore, "namesOf">;
    sessions: SessionStore;
    requests: RequestStore;
    approvals: Pick<ApprovalStore, "approvedOf">;
    events: EventStore;
    vault: Vault;
  },
) {
  const approvedIn = (tenantId: string, records: readonly SamplingRecord[]) =>
    deps.approvals.approvedOf(
      tenantId,
      records.flatMap(({ id, held }) => (held ? id : [])),
    );
  const namesOf =
    (tenantId: string): AskedNames =>
    (ids) =>
      deps.names.of(tenantId, ids);

  return {
    async sessions(
      actor: Actor,
      slug: string,
      page: PageRequest,
    ): AsyncResult<Page<ShownSession> & Named> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const { id } = tenant.value;
      const listed = await deps.sessions.list(id, page);
      if (!listed.ok) return listed;
      const { data, nextCursor } = listed.value;
      const counts = await deps.requests.countBySession(id, data);
      if (!counts.ok) return counts;
      const shown = data.map((each) => shownSession(counts.value.get(each.id) ?? 0, each));
      return withNames(ok({ data: shown, nextCursor }), namesOf(id), idsIn);
    },

    async endSession(actor: Actor, slug: string, id: string): AsyncResult<null> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const tenantId = tenant.value.id;
      const session = await present(deps.sessions.get(tenantId, id), `session ${id}`);
      if (!session.ok) return session;
      const event = eventOf(deps, actor, { action: "session.end", tenantId, target: id });
      const ended = await deps.sessions.end(tenantId, id, event);
      return ended.ok ? ok(null) : ended;
    },

    async requests(
      actor: Actor,
      slug: string,
      filter: ListFilter,
      page: PageRequest,
    ): AsyncResult<Page<ShownRecord> & Named> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const { id } = tenant.value;
      const listed = await deps.requests.list(id, filter, page);
      if (!listed.ok) return listed;
      const { data, nextCursor } = listed.value;
      const approved = await approvedIn(id, data);
      if (!approved.ok) return approved;
      const shown = data.map((each) => marked(each, approved.value));
      return withNames(ok({ data: shown, nextCursor }), namesOf(id), ({ who }) => idsIn(who));
    },

    async request(actor: Actor, slug: string, id: string): AsyncResult<RecordWithContent> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const tenantId = tenant.value.id;
      const found = await present(deps.requests.get(tenantId, id), `request ${id}`);
      if (!found.ok) return found;
      const { content, ...its } = found.value;
      const approved = await approvedIn(tenantId, [its]);
      if (!approved.ok) return approved;
      const record = marked(its, approved.value);
      const named = await deps.names.of(tenantId, idsIn(record.who));
      if (!named.ok) return named;
      const names = named.value;
      const nothing = { content: null, providerMessages: [] };
      if (content === null || !roleMay(actsAs(actor), "content"))
        return ok({ ...record, names, ...nothing });
      const opened = await deps.vault.open(sealedIn(content), {
        purpose: "capture",
        tenantId,
        provider: "",
        id,
        destination: "",
      });
      return ok({ ...record, names, ...(opened.ok ? openedOf(opened.value) : nothing) });
    },

    async eventsOf(
      actor: Actor,
      slug: string,
      page: EventRequest,
    ): AsyncResult<Page<AdminEvent> & Named> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const { id } = tenant.value;
      const listed = await deps.events.list(id, page);
      return withNames(listed, (ids) => namesOfSubjects(deps.names, id, ids), subjectsOf);
    },

    async events(actor: Actor, page: EventRequest): AsyncResult<Page<AdminEvent> & Partial<Named>> {
      if (actor.kind !== "operator") return deps.events.list(actor.tenantId, page);
      const listed = await deps.events.list(null, page);
      if (!listed.ok) return listed;
      const named = listed.value.data.flatMap((event) =>
        event.tenantId === null ? [] : [{ ...event, tenantId: event.tenantId }],
      );
      const names = await namesOfAll(
        deps.names,
        named.flatMap((event) => subjectsOf(event).map((each) => [event.tenantId, each] as const)),
      );
      if (!names.ok) return names;
      const tenants = await deps.placements.namesOf(named.map(({ tenantId }) => tenantId));
      if (!tenants.ok) return tenants;
      return ok({ ...listed.value, names: { ...names.value, ...tenants.value } });
    },
  };
}
