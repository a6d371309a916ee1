/** Calls that wait for a person. `schema.ts` has the conventions. Their contents lie sealed in `results`. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../../domain/json.ts";
import type { ApprovalState } from "../../domain/ports/approvals.ts";
import type { ApprovalEdits, ApprovalStage } from "../../domain/sampling/approval.ts";

export const approvals = sqliteTable(
  "approvals",
  {
    tenantId: text("tenant_id").notNull(),
    requestId: text("request_id").notNull(),
    stage: text().$type<ApprovalStage>().notNull(),
    keyId: text("key_id").notNull(),
    state: text().$type<ApprovalState>().notNull(),
    createdAt: integer("created_at").notNull(),
    /** until when somebody may decide; of an approved call, until when its caller may come for it */
    deadline: integer().notNull(),
    onTimeout: text("on_timeout").$type<"deny" | "approve">().notNull(),
    why: text({ mode: "json" }).$type<string[]>().notNull(),
    /** hex SHA-256 of what was shown */
    shown: text().notNull(),
    decidedAt: integer("decided_at"),
    decidedBy: text("decided_by"),
    decidedBySubject: text("decided_by_subject"),
    /** whether the person who decided is the one whose call it is */
    isOwn: integer("is_own", { mode: "boolean" }).notNull().default(false),
    comment: text(),
    edited: text({ mode: "json" }).$type<ApprovalEdits>(),
    /** a code under MASTER_KEY over `codedApproval`: who has the database alone can approve nothing */
    code: text(),
    /** where the call is told of; null: nowhere */
    webhookUrl: text("webhook_url"),
    /** what is told of the call; null: nothing */
    notice: text({ mode: "json" }).$type<JsonObject>(),
    /** which try of a change wrote the row, so that the same batch sent again finds that it did */
    nonce: text(),
    /** whether the call has still to be begun or ended */
    isOpen: integer("is_open", { mode: "boolean" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.requestId, table.stage] }),
    // Holds the calls that wait, and nothing else: for counting them, and for those whose time is over.
    index("approvals_open")
      .on(table.tenantId, table.state, table.deadline)
      .where(sql`${table.isOpen} = 1`),
  ],
);
