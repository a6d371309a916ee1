import { parseCursor } from "../../domain/audit/exports.ts";
import { ok } from "../../domain/result.ts";
import { adminApp, endpointsOf, pageOf, pageRequestOf, type Streamed } from "./endpoint.ts";
import { exportQuery, seal, sealPage } from "./seal-schemas.ts";

const types = { ndjson: "application/x-ndjson", csv: "text/csv" };

export function sealRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Audit");
  endpoint({
    route: "get /{tenant}/seals",
    id: "listSeals",
    summary: "List seals of audit records, newest first",
    description:
      "The tenant's chain of signed seals. Each covers the records completed since the previous seal.",
    query: sealPage,
    answer: pageOf(seal),
    run: ({ admin, actor, params, query }) =>
      admin.seals.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint({
    route: "get /{tenant}/requests/export",
    id: "exportRequests",
    summary: "Export sealed audit records",
    description:
      "Streams sealed records in the order of the chain, for `npm run audit -- verify`. A part has at most 32,768 records. The header `X-Next-Cursor`, if present, is the `cursor` of the next part.",
    query: exportQuery,
    streams: Object.values(types),
    run: async ({ admin, actor, params, query: { format = "ndjson", cursor, ...filter } }) => {
      const started = await admin.exports.start(actor, params.tenant, {
        format,
        filter,
        cursor: cursor === undefined ? null : parseCursor(cursor),
      });
      if (!started.ok) return started;
      const { name, nextCursor, chunks } = started.value;
      const headers = {
        "Content-Type": `${types[format]}; charset=utf-8`,
        "Content-Disposition": `attachment; filename="${name}.${format}"`,
        "Cache-Control": "no-store",
        ...(nextCursor !== null && { "X-Next-Cursor": nextCursor }),
      };
      return ok<Streamed>({ headers, chunks });
    },
  });
  return app;
}
