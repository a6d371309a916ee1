import { ok } from "../../domain/result.ts";
import { adminApp, endpoint, tenantParams, type Streamed } from "./endpoint.ts";
import { eventStreamOf } from "./event-stream.ts";

/** The time in an event's id; `null` for foreign ids. */
const momentOf = (id: string | null): number | null =>
  id !== null && /^\d{1,15}$/.test(id) ? Number(id) : null;

export function requestStreamRoutes() {
  const app = adminApp();
  endpoint(app, {
    method: "get",
    path: "/{tenant}/requests/stream",
    id: "streamRequests",
    tag: "Requests",
    summary: "Follow audit records as they begin and end, as server-sent events",
    description:
      "Events `begun` and `ended` carry a record as the list shows it; a record may come twice. `ready` says that the stream stands. `reset`: more happened than is told one by one, so read the list again. `closed`: the key, the session or the role is lost, which is looked at every 10 seconds; the stream then ends. A comment comes after 25 silent seconds. With `Last-Event-ID`, what was missed comes first. At most 64 listeners a tenant, in a process or a Durable Object.",
    params: tenantParams,
    streams: ["text/event-stream"],
    run: async ({ admin, actor, params, lastEventId, stillMay, now }) => {
      const listening = await admin.followRequests(actor, params.tenant, momentOf(lastEventId));
      if (!listening.ok) return listening;
      const chunks = eventStreamOf({
        listener: listening.value,
        now,
        async stillMay() {
          const again = await stillMay();
          // Detects a deleted tenant.
          return again.ok ? admin.tenants.get(again.value, params.tenant) : again;
        },
      });
      const headers = {
        "Content-Type": "text/event-stream; charset=utf-8",
        // Keeps proxies such as nginx from buffering events.
        "X-Accel-Buffering": "no",
      };
      return ok<Streamed>({ headers, chunks });
    },
  });
  return app;
}
