import { ok } from "../../domain/result.ts";
import { adminApp, endpointsOf, type Streamed } from "./endpoint.ts";
import { eventStreamOf } from "./event-stream.ts";

/** The time in an event's id; `null` for foreign ids. */
const momentOf = (id: string | null): number | null =>
  id !== null && /^\d{1,15}$/.test(id) ? Number(id) : null;

export function requestStreamRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Requests");
  endpoint({
    route: "get /{tenant}/requests/stream",
    id: "streamRequests",
    summary: "Stream audit records as server-sent events",
    description:
      "Events `started` and `ended` contain a record as in the list; a record can be repeated. `ready`: the stream is open. `reset`: too many records, so read the list again. `closed`: the key, session or role was revoked (checked every 10 seconds). A comment is sent every 25 seconds. With `Last-Event-ID`, missed events come first. At most 64 listeners per tenant, in a process or Durable Object.",
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
