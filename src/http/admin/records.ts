import { adminApp, endpoint, idParams, pageOf, pageRequestOf, tenantParams } from "./endpoint.ts";
import {
  correctionInput,
  event,
  record,
  recordFilter,
  recordWithContent,
  replayed,
  session,
  usage,
  usageQuery,
} from "./record-schemas.ts";
import { pageQuery } from "./schemas.ts";

/** Sessions and audit records of a tenant. */
export function recordRoutes() {
  const app = adminApp();
  endpoint(app, {
    method: "get",
    path: "/{tenant}/sessions",
    tag: "Sessions",
    summary: "List sessions with the capabilities they negotiated, newest first",
    params: tenantParams,
    query: pageQuery,
    answer: pageOf(session),
    run: ({ admin, actor, params, query }) =>
      admin.records.sessions(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint(app, {
    method: "delete",
    path: "/{tenant}/sessions/{id}",
    tag: "Sessions",
    summary: "End a session",
    params: idParams,
    run: ({ admin, actor, params }) => admin.records.endSession(actor, params.tenant, params.id),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/requests",
    tag: "Requests",
    summary: "List audit records, newest first",
    params: tenantParams,
    query: pageQuery.extend(recordFilter.shape),
    answer: pageOf(record),
    run: ({ admin, actor, params, query: { cursor, limit, ...filter } }) =>
      admin.records.requests(
        actor,
        params.tenant,
        filter,
        pageRequestOf({
          ...(cursor === undefined ? {} : { cursor }),
          ...(limit === undefined ? {} : { limit }),
        }),
      ),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/requests/{id}",
    tag: "Requests",
    summary: "Read an audit record, its content too where the policy captured it",
    params: idParams,
    answer: recordWithContent,
    run: ({ admin, actor, params }) => admin.records.request(actor, params.tenant, params.id),
  });
  endpoint(app, {
    method: "post",
    path: "/{tenant}/requests/{id}/replay",
    tag: "Requests",
    summary: "Make a recorded decision again, and say whether it is the same",
    params: idParams,
    answer: replayed,
    run: ({ admin, actor, params }) => admin.replay(actor, params.tenant, params.id),
  });
  endpoint(app, {
    method: "post",
    path: "/{tenant}/requests/{id}/correct",
    tag: "Requests",
    summary: "Say what became of a call of unknown outcome; budgets and usage follow (operator)",
    params: idParams,
    body: correctionInput,
    answer: recordWithContent,
    run: ({ admin, actor, params, body }) => admin.correct(actor, params.tenant, params.id, body),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/usage",
    tag: "Usage",
    summary: "What was used, by the hour or the day in which requests came, oldest first",
    params: tenantParams,
    query: usageQuery,
    answer: usage,
    run: ({ admin, actor, params, query }) => admin.usage(actor, params.tenant, query),
  });
  return app;
}

/** The log of admin actions. */
export function eventRoutes() {
  const app = adminApp();
  endpoint(app, {
    method: "get",
    path: "/",
    tag: "Events",
    summary: "The log of admin actions, newest first: all for the operator, else one tenant's",
    query: pageQuery,
    answer: pageOf(event),
    run: ({ admin, actor, query }) => admin.records.events(actor, pageRequestOf(query)),
  });
  return app;
}
