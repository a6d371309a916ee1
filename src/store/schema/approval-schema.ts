/** Pending approvals. Their contents are sealed in `results`. Conventions: `schema.ts`. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../../domain/json.ts";
import type { ApprovalState } from "../../domain/ports/approvals.ts";
import type {
  ApprovalCondition,
  ApprovalEdits,
  ApprovalStage,
} from "../../domain/sampling/approval.ts";

export const approvals = sqliteTable(
  "approvals",
  {
    tenantId: text("tenant_id").notNull(),
    requestId: text("request_id").notNull(),
    stage: text().$type<ApprovalStage>().notNull(),
    keyId: text("key_id").notNull(),
    state: text().$type<ApprovalState>().notNull(),
    createdAt: integer("created_at").notNull(),
    /** deadline for the decision; once approved, for the caller */
    deadline: integer().notNull(),
    onTimeout: text("on_timeout").$type<"deny" | "approve">().notNull(),
    conditions: text({ mode: "json" }).$type<ApprovalCondition[]>().notNull(),
    contentHash: text("content_hash").notNull(),
    decidedAt: integer("decided_at"),
    decidedBy: text("decided_by"),
    decidedBySubject: text("decided_by_subject"),
    isOwn: integer("is_own", { mode: "boolean" }).notNull().default(false),
    comment: text(),
    edited: text({ mode: "json" }).$type<ApprovalEdits>(),
    /** code under MASTER_KEY over `codedApproval`: database access alone approves nothing */
    code: text(),
    webhookUrl: text("webhook_url"),
    notice: text({ mode: "json" }).$type<JsonObject>(),
    /** identifies the attempt, for repeated batches */
    nonce: text(),
    isOpen: integer("is_open", { mode: "boolean" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.requestId, table.stage] }),
    // Pending calls only, for counting and deadlines.
    index("approvals_open")
      .on(table.tenantId, table.state, table.deadline)
      .where(sql`${table.isOpen} = 1`),
  ],
);
