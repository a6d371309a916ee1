import { and, desc, eq, getTableColumns, inArray, lt, sql } from "drizzle-orm";
import type {
  ApprovalState,
  ApprovalStore,
  CallFigures,
  CallPlace,
} from "../../domain/ports/approvals.ts";
import { genuinePage } from "../../domain/ports/genuine-page.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import type { Page, PageRequest } from "../../domain/ports/stores.ts";
import { ok } from "../../domain/result.ts";
import type { HeldCalls } from "../../domain/sampling/approval.ts";
import {
  genuineRows,
  isGenuine,
  ofCall,
  type ApprovalDeps,
  type ApprovalRow,
} from "./approval-codes.ts";
import { batchSize, expire, withdraw } from "./approval-ends.ts";
import { approvalOf, findHeld, heldCalls, readContent } from "./approval-rows.ts";
import { approvals } from "../schema/approval-schema.ts";
import { decide } from "./approval-decisions.ts";
import type { Database } from "../db.ts";
import { execute } from "../execute.ts";
import { holdResult, resume, writeOptionsOf } from "./approval-resumption.ts";
import { rowsFor } from "../page.ts";
import { apiKeys, samplingRequests } from "../schema.ts";

const shownOf = ({ model, user, maxMicroUsd, ...row }: ApprovalRow & CallFigures) => ({
  ...approvalOf(row),
  model,
  user,
  maxMicroUsd,
});

const pageOfRows = (
  db: Database,
  tenantId: string,
  { state, cursor, limit }: PageRequest & { state: ApprovalState | null },
): AsyncResult<Page<ApprovalRow & CallFigures>> =>
  db.read(async (builder) => {
    const rows = await builder
      .select({
        ...getTableColumns(approvals),
        model: samplingRequests.model,
        user: apiKeys.userId,
        maxMicroUsd: samplingRequests.reservedMicroUsd,
      })
      .from(approvals)
      .leftJoin(
        samplingRequests,
        and(
          eq(samplingRequests.id, approvals.requestId),
          eq(samplingRequests.tenantId, approvals.tenantId),
        ),
      )
      .leftJoin(
        apiKeys,
        and(eq(apiKeys.id, approvals.keyId), eq(apiKeys.tenantId, approvals.tenantId)),
      )
      .where(
        and(
          eq(approvals.tenantId, tenantId),
          // A call with an approved request and an approved result is listed once, as its result approval.
          sql`not exists (select 1 from approvals later where later.tenant_id = ${tenantId}
            and later.request_id = ${approvals.requestId} and later.stage > ${approvals.stage})`,
          state === null ? undefined : eq(approvals.state, state),
          cursor === null ? undefined : lt(approvals.requestId, cursor),
        ),
      )
      .orderBy(desc(approvals.requestId))
      .limit(rowsFor({ cursor, limit }));
    const data = rows.slice(0, limit);
    const last = rows.length > limit ? data.at(-1) : undefined;
    return { data, nextCursor: last?.requestId ?? null };
  });

async function approvedOf(
  deps: ApprovalDeps,
  tenantId: string,
  requestIds: readonly string[],
): AsyncResult<ReadonlySet<string>> {
  if (requestIds.length === 0) return ok(new Set());
  const found = await deps.db.read((builder) =>
    builder
      .select()
      .from(approvals)
      .where(
        and(
          eq(approvals.tenantId, tenantId),
          inArray(approvals.requestId, [...requestIds]),
          eq(approvals.stage, "request"),
          eq(approvals.state, "approved"),
        ),
      ),
  );
  if (!found.ok) return found;
  const genuine = await genuineRows(deps, found.value);
  return ok(new Set(genuine.map(({ requestId }) => requestId)));
}

export function createApprovalStore(db: Database, deps: Omit<ApprovalDeps, "db">): ApprovalStore {
  const storeDeps: ApprovalDeps = { db, ...deps };
  return {
    count: (who) =>
      db.read(async (builder) => {
        const [row] = await builder.all<HeldCalls>(heldCalls(who));
        return row ?? { key: 0, server: 0, tenant: 0 };
      }),
    find: (place) => findHeld(storeDeps, place),
    async list(tenantId, asked) {
      const page = await genuinePage(
        asked,
        (next) => pageOfRows(db, tenantId, { ...next, state: asked.state }),
        (row) => isGenuine(storeDeps, row),
      );
      return page.ok ? ok({ ...page.value, data: page.value.data.map(shownOf) }) : page;
    },
    approvedOf: (tenantId, requestIds) => approvedOf(storeDeps, tenantId, requestIds),
    content: (place, kind) => readContent(db, place, kind),
    decide: (decision, event) => decide(storeDeps, decision, event),
    resume: (call) => resume(storeDeps, call),
    holdResult: (place, approval) => holdResult(storeDeps, place, approval),
    expire: (now) => expire(storeDeps, now),
    withdraw: (place, now) => withdraw(storeDeps, place, now),
    findUnclosed: () =>
      db.read((builder) =>
        builder.all<CallPlace>(sql`
          select tenant_id as "tenantId", request_id as "requestId" from approvals
          where is_open = 1 and (state in ('denied', 'expired', 'withdrawn')
            or (state = 'approved' and stage = 'result'))
          limit ${batchSize}`),
      ),
    close: (place) =>
      execute(
        db,
        [db.builder.update(approvals).set({ isOpen: false }).where(ofCall(place))],
        writeOptionsOf(place.tenantId),
      ),
  };
}
