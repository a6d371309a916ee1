import { mapped, ok } from "../../domain/result.ts";
import { shownRecord } from "./shown-record.ts";
import { adminApp, endpointsOf, pageOf, pageRequestOf } from "./endpoint.ts";
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
  topUsage,
  topUsageQuery,
  usage,
  usageOfAllQuery,
  usageOfTenant,
  usageOfTenantQuery,
} from "./usage-schemas.ts";

export function recordRoutes() {
  const app = adminApp();
  const inSessions = endpointsOf(app, "Sessions");
  const inRequests = endpointsOf(app, "Requests");
  const inEvents = endpointsOf(app, "Events");
  const inUsage = endpointsOf(app, "Usage");
  inSessions({
    route: "get /{tenant}/sessions",
    id: "listSessions",
    summary: "List sessions with the capabilities they negotiated, newest first",
    description: "Sessions of legacy revisions, with the capabilities that each client declared.",
    query: pageQuery,
    answer: pageOf(session).extend({ names }),
    run: ({ admin, actor, params, query }) =>
      admin.records.sessions(actor, params.tenant, pageRequestOf(query)),
  });
  inSessions({
    route: "delete /{tenant}/sessions/{id}",
    id: "endSession",
    summary: "End a session",
    description: "Further requests of the session get 404, and the client has to initialize again.",
    run: ({ admin, actor, params }) => admin.records.endSession(actor, params.tenant, params.id),
  });
  inRequests({
    route: "get /{tenant}/requests",
    id: "listRequests",
    summary: "List audit records, newest first",
    description:
      "One record per sampling request, including refused ones. For rate-limit refusals, the first hundred per key and minute; `thinned` counts the others. `from` is inclusive, `to` is exclusive, and all filters have to match. A page reads at most 100,000 records, so it can have fewer than `limit` entries, or none, and a `nextCursor`.",
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
  inRequests({
    route: "get /{tenant}/requests/{id}",
    id: "readRequest",
    summary: "Get an audit record, with its content if stored",
    description: "The record, with content and provider error messages if the policy stores them.",
    answer: recordWithContent,
    run: ({ admin, actor, params }) =>
      mapped(admin.records.request(actor, params.tenant, params.id), shownRecord),
  });
  inRequests({
    route: "post /{tenant}/requests/{id}/replay",
    id: "replayRequest",
    summary: "Replay a recorded decision",
    description:
      "Repeats the model selection with the recorded request, without a call or charge. The response lists figures that have changed.",
    answer: replayed,
    run: ({ admin, actor, params }) => admin.replay(actor, params.tenant, params.id),
  });
  inRequests({
    route: "post /{tenant}/requests/{id}/correct",
    id: "correctRequest",
    summary: "Correct a call with an unknown outcome (operator)",
    description:
      "Settles a request with the outcome `unknown` once, with a reason. Budgets and usage follow, and the event log has the change.",
    body: correctionInput,
    answer: recordWithContent,
    run: ({ admin, actor, params, body }) =>
      mapped(admin.correct(actor, params.tenant, params.id, body), shownRecord),
  });
  inEvents({
    route: "get /{tenant}/events",
    id: "listTenantEvents",
    summary: "List a tenant's events, newest first",
    description:
      "All changes through the admin API: who, what, when. `names` has the names of keys and servers.",
    query: pageQuery,
    answer: pageOf(event).extend({ names }),
    run: ({ admin, actor, params, query }) =>
      admin.records.eventsOf(actor, params.tenant, pageRequestOf(query)),
  });
  inUsage({
    route: "get /{tenant}/usage",
    id: "readUsage",
    summary: "Get usage by hour, day or month, oldest first",
    description:
      "Requests by outcome, tokens, USD and latency percentiles, per bucket and model, key, person, server or endpoint. `by=all` doesn't group, and `bucket=all` sums the whole range. Default range: the last 24 hours by hour, otherwise 30 days. Maximum: 31 days by hour, 366 by day, ten years by month, unlimited with `bucket=all`. A page has `limit` rows (default 2,000).",
    query: usageOfTenantQuery,
    answer: usageOfTenant,
    run: ({ admin, actor, params, query }) => admin.usage.read(actor, params.tenant, query),
  });
  inUsage({
    route: "get /{tenant}/usage/top",
    id: "readTopUsage",
    summary: "List who spent most",
    description:
      "Keys, people, servers, models, groups, tags or endpoints, highest cost first, with their share of the cost of all calls, the period of the same length before, and their fullest budget. Whole hours count. Default range: the current month in the tenant's time zone. Groups are those named by the person's token; a call with several groups counts in each.",
    query: topUsageQuery,
    answer: topUsage,
    run: ({ admin, actor, params, query }) => admin.topUsage(actor, params.tenant, query),
  });
  inUsage({
    route: "get /{tenant}/limits",
    id: "readLimits",
    summary: "List limits with used, reserved and remaining amounts",
    description:
      "The tenant's limits, its ceiling and its database size limit, then servers and keys, newest first and without revoked and expired keys, then groups, runs, tags and people with usage. `limit` applies to each kind.",
    query: pageQuery,
    answer: pageOf(limitState).extend({ names }),
    run: ({ admin, actor, params, query }) =>
      admin.limits(actor, params.tenant, pageRequestOf(query)),
  });
  return app;
}

export function usageRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Usage");
  endpoint({
    route: "get /",
    id: "readUsageOfAll",
    summary: "Get usage of all tenants by hour or day (operator)",
    description:
      "Like a tenant's usage, for all tenants. `group` is the tenant's id, or the model with `by=model`.",
    query: usageOfAllQuery,
    answer: usage,
    run: ({ admin, actor, query }) => admin.usage.readAll(actor, query),
  });
  return app;
}

export function eventRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Events");
  endpoint({
    route: "get /",
    id: "listEvents",
    summary: "List events, newest first",
    description:
      "All changes through the admin API: who, what, when. The operator sees all tenants, a key its own.",
    query: pageQuery,
    answer: pageOf(event).extend({ names: names.optional() }),
    run: ({ admin, actor, query }) => admin.records.events(actor, pageRequestOf(query)),
  });
  return app;
}
