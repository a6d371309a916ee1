import { ok } from "../../domain/result.ts";
import { shownRecord } from "./shown-record.ts";
import { adminApp, endpoint, idParams, pageOf, pageRequestOf, tenantParams } from "./endpoint.ts";
import {
  correctionInput,
  event,
  names,
  record,
  recordFilter,
  recordWithContent,
  replayed,
  session,
} from "./record-schemas.ts";
import { pageQuery } from "./schemas.ts";
import {
  limitState,
  usage,
  usageOfAllQuery,
  usageOfTenant,
  usageOfTenantQuery,
} from "./usage-schemas.ts";

export function recordRoutes() {
  const app = adminApp();
  endpoint(app, {
    method: "get",
    path: "/{tenant}/sessions",
    id: "listSessions",
    tag: "Sessions",
    summary: "List sessions with the capabilities they negotiated, newest first",
    description:
      "Sessions of the legacy revisions, with the capabilities that each client declared, raw.",
    params: tenantParams,
    query: pageQuery,
    answer: pageOf(session).extend({ names }),
    run: ({ admin, actor, params, query }) =>
      admin.records.sessions(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint(app, {
    method: "delete",
    path: "/{tenant}/sessions/{id}",
    id: "endSession",
    tag: "Sessions",
    summary: "End a session",
    description:
      "Later requests of the session are answered 404, and its client has to begin again.",
    params: idParams,
    run: ({ admin, actor, params }) => admin.records.endSession(actor, params.tenant, params.id),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/requests",
    id: "listRequests",
    tag: "Requests",
    summary: "List audit records, newest first",
    description:
      "One record per sampling request, refused ones included. Of refusals by a rate limit the first hundred a minute of a key; `thinned` counts the others. `from` is inclusive and `to` is exclusive; all filters have to match. A page of a filtered list looks at 100,000 records: it may have fewer than `limit`, or none, and a `nextCursor` that goes on.",
    params: tenantParams,
    query: pageQuery.extend(recordFilter.shape),
    answer: pageOf(record).extend({ names }),
    run: async ({ admin, actor, params, query: { cursor, limit, ...filter } }) => {
      const page = pageRequestOf({
        ...(cursor !== undefined && { cursor }),
        ...(limit !== undefined && { limit }),
      });
      const listed = await admin.records.requests(actor, params.tenant, filter, page);
      return listed.ok
        ? ok({ ...listed.value, data: listed.value.data.map((found) => shownRecord(found)) })
        : listed;
    },
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/requests/{id}",
    id: "readRequest",
    tag: "Requests",
    summary: "Read an audit record, its content too where the policy captured it",
    description:
      "The record, the captured content where the policy keeps it, and what the providers said of failed attempts where `providerMessages` keeps that.",
    params: idParams,
    answer: recordWithContent,
    run: async ({ admin, actor, params }) => {
      const read = await admin.records.request(actor, params.tenant, params.id);
      return read.ok ? ok(shownRecord(read.value)) : read;
    },
  });
  endpoint(app, {
    method: "post",
    path: "/{tenant}/requests/{id}/replay",
    id: "replayRequest",
    tag: "Requests",
    summary: "Make a recorded decision again, and say whether it is the same",
    description:
      "Chooses again from what was recorded, calls no provider and charges nothing. The answer names the figures that have changed since.",
    params: idParams,
    answer: replayed,
    run: ({ admin, actor, params }) => admin.replay(actor, params.tenant, params.id),
  });
  endpoint(app, {
    method: "post",
    path: "/{tenant}/requests/{id}/correct",
    id: "correctRequest",
    tag: "Requests",
    summary: "Say what became of a call of unknown outcome; budgets and usage follow (operator)",
    description:
      "Settles a request whose outcome is `unknown`, once, with a reason. Budgets and usage follow, and the event log has before and after. For the operator.",
    params: idParams,
    body: correctionInput,
    answer: recordWithContent,
    run: async ({ admin, actor, params, body }) => {
      const corrected = await admin.correct(actor, params.tenant, params.id, body);
      return corrected.ok ? ok(shownRecord(corrected.value)) : corrected;
    },
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/events",
    id: "listTenantEvents",
    tag: "Events",
    summary: "The log of admin actions on one tenant, newest first",
    description:
      "Every change of the tenant that was made over the admin API: who, what, when. `names` has the names of the keys and servers that stand there by id.",
    params: tenantParams,
    query: pageQuery,
    answer: pageOf(event).extend({ names }),
    run: ({ admin, actor, params, query }) =>
      admin.records.eventsOf(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/usage",
    id: "readUsage",
    tag: "Usage",
    summary: "What was used, by the hour or the day in which requests were admitted, oldest first",
    description:
      "Requests by their outcomes, tokens, USD, and percentiles of how long calls took, per bucket and per model, key, person or server; `by=all` does not group, and `bucket=all` adds up the whole range. Without `from` and `to`: the last 24 hours by the hour, else 30 days. At most 31 days by the hour and 366 by the day; with `bucket=all` as many as you like. A page has `limit` rows, 2,000 unless told; follow `nextCursor` for the others.",
    params: tenantParams,
    query: usageOfTenantQuery,
    answer: usageOfTenant,
    run: ({ admin, actor, params, query }) => admin.usage.read(actor, params.tenant, query),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/limits",
    id: "readLimits",
    tag: "Usage",
    summary: "Every limit, what is used and reserved of it, and what is left",
    description:
      "First the tenant's own limits and its ceiling's, and the room of its own database where that is bounded, then those of servers and of keys, newest first; revoked and expired keys are left out; then the groups, runs, tags and people of which something is counted. A page looks at so many of each kind; follow `nextCursor` for the others.",
    params: tenantParams,
    query: pageQuery,
    answer: pageOf(limitState).extend({ names }),
    run: ({ admin, actor, params, query }) =>
      admin.limits(actor, params.tenant, pageRequestOf(query)),
  });
  return app;
}

export function usageRoutes() {
  const app = adminApp();
  endpoint(app, {
    method: "get",
    path: "/",
    id: "readUsageOfAll",
    tag: "Usage",
    summary: "What all tenants used, by the hour or the day (operator)",
    description:
      "As a tenant's usage, for every tenant: `group` is the tenant's id, or the model with `by=model`. For the operator.",
    query: usageOfAllQuery,
    answer: usage,
    run: ({ admin, actor, query }) => admin.usage.readAll(actor, query),
  });
  return app;
}

export function eventRoutes() {
  const app = adminApp();
  endpoint(app, {
    method: "get",
    path: "/",
    id: "listEvents",
    tag: "Events",
    summary: "The log of admin actions, newest first: all for the operator, else one tenant's",
    description:
      "Every change that was made over the admin API: who, what, when. The operator sees all tenants, a key its own.",
    query: pageQuery,
    answer: pageOf(event).extend({ names: names.optional() }),
    run: ({ admin, actor, query }) => admin.records.events(actor, pageRequestOf(query)),
  });
  return app;
}
