import type { DecisionInput } from "../../pipeline/admin/approvals.ts";
import {
  approvalDecision,
  approvalDetail,
  approvalQuery,
  listedApproval,
} from "./approval-schemas.ts";
import { names } from "./record-schemas.ts";
import { adminApp, endpointsOf, pageOf, pageRequestOf } from "./endpoint.ts";

export function approvalRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Approvals");
  endpoint({
    route: "get /{tenant}/approvals",
    id: "listApprovals",
    summary: "List calls that need approval, newest first",
    description: "Without content. `state=waiting` lists pending calls.",
    query: approvalQuery,
    answer: pageOf(listedApproval).extend({ names }),
    run: ({ admin, actor, params, query }) =>
      admin.approvals.list(actor, params.tenant, {
        ...pageRequestOf(query),
        state: query.state ?? null,
      }),
  });
  endpoint({
    route: "get /{tenant}/approvals/{id}",
    id: "readApproval",
    summary: "Get a call that needs approval, with its content",
    description:
      "`id` is the request's id. `contentHash` is a hash of `content`, required in the decision.",
    answer: approvalDetail,
    tagged: true,
    run: ({ admin, actor, params }) => admin.approvals.get(actor, params.tenant, params.id),
  });
  endpoint({
    route: "post /{tenant}/approvals/{id}",
    id: "decideApproval",
    summary: "Approve or deny a call",
    description:
      "A second decision, a decision after the deadline, or with an outdated `contentHash` is 409 `conflict`. A key can't decide its own request.",
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
