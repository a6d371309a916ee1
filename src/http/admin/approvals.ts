import type { DecisionInput } from "../../pipeline/admin/approvals.ts";
import {
  approvalDecision,
  approvalDetail,
  approvalQuery,
  listedApproval,
} from "./approval-schemas.ts";
import { names } from "./record-schemas.ts";
import { adminApp, endpoint, idParams, pageOf, pageRequestOf, tenantParams } from "./endpoint.ts";

export function approvalRoutes() {
  const app = adminApp();
  const tag = "Approvals";
  endpoint(app, {
    method: "get",
    path: "/{tenant}/approvals",
    id: "listApprovals",
    tag,
    summary: "List held calls, newest first",
    description: "Without contents. `state=waiting` lists those that somebody has to decide.",
    params: tenantParams,
    query: approvalQuery,
    answer: pageOf(listedApproval).extend({ names }),
    run: ({ admin, actor, params, query }) =>
      admin.approvals.list(actor, params.tenant, {
        ...pageRequestOf(query),
        state: query.state ?? null,
      }),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/approvals/{id}",
    id: "readApproval",
    tag,
    summary: "Read a held call, with what is to be approved",
    description:
      "`id` is the id of the request. `shown` is a hash of `content`; a decision names it.",
    params: idParams,
    answer: approvalDetail,
    tagged: true,
    run: ({ admin, actor, params }) => admin.approvals.get(actor, params.tenant, params.id),
  });
  endpoint(app, {
    method: "post",
    path: "/{tenant}/approvals/{id}",
    id: "decideApproval",
    tag,
    summary: "Approve or deny a held call",
    description:
      "Once: a second decision is 409 `conflict`, and so is one after the deadline or of something else than was shown. The key that asks can't decide its own request.",
    params: idParams,
    body: approvalDecision,
    answer: approvalDetail,
    tagged: true,
    run({ admin, actor, params, body, ifMatch }) {
      const { id, tenant } = params;
      const input = body as DecisionInput;
      return admin.approvals.decide(actor, tenant, { id, ifMatch, input });
    },
  });
  return app;
}
