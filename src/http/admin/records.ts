import { mapped, ok } from "../../domain/result.ts";
import { shownRecord } from "./shown-record.ts";
import { adminApp, endpointsOf, pageOf, pageRequestOf } from "./endpoint.ts";
import { allEventsFilter, eventFilter, listFilter } from "./record-filters.ts";
import {
  correctionInput,
  event,
  names,
  record,
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
  const sessionEndpoint = endpointsOf(app, "Sessions");
  const requestEndpoint = endpointsOf(app, "Requests");
  const eventEndpoint = endpointsOf(app, "Events");
  const usageEndpoint = endpointsOf(app, "Usage");
  sessionEndpoint({
    route: "get /{tenant}/sessions",
    id: "listSessions",
    summary: "List sessions with the capabilities they negotiated, newest first",
    description: "Sessions of legacy revisions, with the capabilities that each client declared.",
    query: pageQuery,
    answer: pageOf(session).extend({ names }),
    run: ({ admin, actor, params, query }) =>
      admin.records.sessions(actor, params.tenant, pageRequestOf(query)),
  });
  sessionEndpoint({
    route: "delete /{tenant}/sessions/{id}",
    id: "endSession",
    summary: "End a session",
    description: "Further requests of the session get 404, and the client has to initialize again.",
    run: ({ admin, actor, params }) => admin.records.endSession(actor, params.tenant, params.id),
  });
  requestEndpoint({
    route: "get /{tenant}/requests",
    id: "listRequests",
    summary: "List audit records, newest first",
    description:
      "One record per sampling request, including refused ones. Rate-limit refusals are recorded up to a hundred per key and minute; `omitted` counts the others. `from` is inclusive, `to` is exclusive, and a record must match all filters. A page reads at most 100,000 records, so it can have fewer than `limit` entries, or none, and still have a `nextCursor`.",
    query: pageQuery.extend(listFilter.shape),
    answer: pageOf(record).extend({ names }),
    run: async ({ admin, actor, params, query: { cursor, limit, ...filter } }) => {
      const page = pageRequestOf({ cursor, limit });
      const listed = await admin.records.requests(actor, params.tenant, filter, page);
      return listed.ok
        ? ok({ ...listed.value, data: listed.value.data.map((each) => shownRecord(each)) })
        : listed;
    },
  });
  requestEndpoint({
    route: "get /{tenant}/requests/{id}",
    id: "readRequest",
    summary: "Get an audit record, with its content if stored",
    description: "The record, with content and provider error messages if the policy stores them.",
    answer: recordWithContent,
    run: ({ admin, actor, params }) =>
      mapped(admin.records.request(actor, params.tenant, params.id), shownRecord),
  });
  requestEndpoint({
    route: "post /{tenant}/requests/{id}/replay",
    id: "replayRequest",
    summary: "Replay a recorded decision",
    description:
      "Repeats the model selection with the recorded request, without calling a provider. The response lists what has changed since, for example prices.",
    answer: replayed,
    run: ({ admin, actor, params }) => admin.replay(actor, params.tenant, params.id),
  });
  requestEndpoint({
    route: "post /{tenant}/requests/{id}/correct",
    id: "correctRequest",
    summary: "Correct a call with an unknown outcome (operator)",
    description:
      "Sets the usage of a request with the outcome `unknown`, and requires a reason. A request can be corrected only once. Budgets and usage are updated, and the change is logged as an event.",
    body: correctionInput,
    answer: recordWithContent,
    run: ({ admin, actor, params, body }) =>
      mapped(admin.correct(actor, params.tenant, params.id, body), shownRecord),
  });
  eventEndpoint({
    route: "get /{tenant}/events",
    id: "listTenantEvents",
    summary: "List a tenant's events, newest first",
    description:
      "All changes through the admin API: who changed what, and when. `names` maps the ids of keys and servers to their names. `from` is inclusive, `to` is exclusive, and an event must match all filters. A page reads at most 100,000 events, so it can have fewer than `limit` entries, or none, and still have a `nextCursor`.",
    query: pageQuery.extend(eventFilter.shape),
    answer: pageOf(event).extend({ names }),
    run: ({ admin, actor, params, query: { cursor, limit, ...filter } }) =>
      admin.records.eventsOf(actor, params.tenant, {
        ...pageRequestOf({ cursor, limit }),
        filter,
      }),
  });
  usageEndpoint({
    route: "get /{tenant}/usage",
    id: "readUsage",
    summary: "Get usage by hour, day or month, oldest first",
    description:
      "Requests by outcome, tokens, USD and latency percentiles, per bucket and model, key, person, server or endpoint. `by=all` doesn't group, and `bucket=all` sums the whole range. Default range: the last 24 hours by hour, otherwise 30 days. Maximum: 31 days by hour, 366 by day, ten years by month, unlimited with `bucket=all`. A page has `limit` rows (default 2,000).",
    query: usageOfTenantQuery,
    answer: usageOfTenant,
    run: ({ admin, actor, params, query }) => admin.usage.read(actor, params.tenant, query),
  });
  usageEndpoint({
    route: "get /{tenant}/usage/top",
    id: "readTopUsage",
    summary: "List who spent most",
    description:
      "Keys, people, servers, models, groups, tags or endpoints, highest cost first, with their share of the total cost, the same figures of the previous period of the same length, and the budget with the highest usage. The range is extended to whole hours. Default range: the current month in the tenant's time zone. Groups are those in the person's token; a call with several groups counts in each.",
    query: topUsageQuery,
    answer: topUsage,
    run: ({ admin, actor, params, query }) => admin.topUsage(actor, params.tenant, query),
  });
  usageEndpoint({
    route: "get /{tenant}/limits",
    id: "readLimits",
    summary: "List limits with used, reserved and remaining amounts",
    description:
      "In this order: the limits of the tenant, including its ceiling and its database size; of servers and keys, newest first, except for revoked and expired keys; and of groups, runs, tags and people with usage. `limit` applies to each kind.",
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
      "The usage of all tenants. `group` is the tenant's id, or the model with `by=model`.",
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
      "All changes through the admin API: who changed what, and when. The operator gets the events of all tenants, and a key those of its own tenant. Filters are those of a tenant's events, and `tenant`.",
    query: pageQuery.extend(allEventsFilter.shape),
    answer: pageOf(event).extend({ names: names.optional() }),
    run: ({ admin, actor, query: { cursor, limit, ...filter } }) =>
      admin.records.events(actor, { ...pageRequestOf({ cursor, limit }), filter }),
  });
  return app;
}
