import { parseCursor } from "../../domain/audit/exports.ts";
import { ok } from "../../domain/result.ts";
import {
  adminApp,
  endpoint,
  pageOf,
  pageRequestOf,
  tenantParams,
  type Streamed,
} from "./endpoint.ts";
import { exportQuery, seal, sealPage } from "./seal-schemas.ts";

const types = { ndjson: "application/x-ndjson", csv: "text/csv" };

export function sealRoutes() {
  const app = adminApp();
  endpoint(app, {
    method: "get",
    path: "/{tenant}/seals",
    id: "listSeals",
    tag: "Audit",
    summary: "List seals of audit records, newest first",
    description:
      "The tenant's chain of signed seals. Each one covers the records that ended since the seal before.",
    params: tenantParams,
    query: sealPage,
    answer: pageOf(seal),
    run: ({ admin, actor, params, query }) =>
      admin.seals.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/requests/export",
    id: "exportRequests",
    tag: "Audit",
    summary:
      "Export finished audit records, sealed; X-Next-Cursor, if any, is the cursor of the next part",
    description:
      "Streams sealed records in the order of the chain, with what `npm run audit -- verify` needs. A part has 32,768 records at most; the header `X-Next-Cursor`, if there is one, is the `cursor` of the next part.",
    params: tenantParams,
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
