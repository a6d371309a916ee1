/** Rows without a valid code count as missing, so write access to the database approves nothing. */
import { and, eq } from "drizzle-orm";
import { codedApproval, type Approval, type CallPlace } from "../../domain/ports/approvals.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { ApprovalStage } from "../../domain/sampling/approval.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import type { NoteRejected } from "../../domain/tenancy/rejected-row.ts";
import { approvals } from "../schema/approval-schema.ts";
import type { Database } from "../db.ts";
import { storable } from "../rows/storable.ts";

export interface ApprovalDeps {
  db: Database;
  mac: Mac;
  rowMac: Mac;
  rejected: NoteRejected;
  nonce: () => string;
}

export type ApprovalRow = typeof approvals.$inferSelect;

export const ofCall = ({ tenantId, requestId }: CallPlace) =>
  and(eq(approvals.tenantId, tenantId), eq(approvals.requestId, requestId));

const storableOf = (text: string | null): string | null => (text === null ? null : storable(text));

export const approvalCode = (rowMac: Mac, row: Omit<Approval, "isOpen">): Promise<string> =>
  rowMac.code(
    codedApproval({
      ...row,
      decidedBy: storableOf(row.decidedBy),
      comment: storableOf(row.comment),
    }),
  );

export async function isGenuine(
  { rowMac, rejected }: Pick<ApprovalDeps, "rowMac" | "rejected">,
  row: ApprovalRow,
): Promise<boolean> {
  if (await rowMac.check(codedApproval(row), row.code)) return true;
  const { tenantId, requestId, stage } = row;
  await rejected({ tenantId, table: "approvals", id: `${requestId} ${stage}` });
  return false;
}

export async function genuineRows(
  deps: Pick<ApprovalDeps, "rowMac" | "rejected">,
  rows: readonly ApprovalRow[],
): Promise<ApprovalRow[]> {
  const genuine: ApprovalRow[] = [];
  for (const row of rows) if (await isGenuine(deps, row)) genuine.push(row);
  return genuine;
}

export async function findStage(
  deps: ApprovalDeps,
  { stage, ...place }: CallPlace & { stage: ApprovalStage },
): AsyncResult<ApprovalRow | null> {
  const found = await deps.db.read((builder) =>
    builder
      .select()
      .from(approvals)
      .where(and(ofCall(place), eq(approvals.stage, stage))),
  );
  if (!found.ok) return found;
  const [row] = await genuineRows(deps, found.value);
  return ok(row ?? null);
}
