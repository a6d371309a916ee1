import { latestWait } from "../../domain/limits/admission-verdict.ts";
import type {
  Approval,
  ApprovalState,
  ApprovalStore,
  CallFigures,
  HeldCall,
} from "../../domain/ports/approvals.ts";
import type { ServerStore } from "../../domain/ports/server-stores.ts";
import { approvalRuleOf } from "../../domain/sampling/approval.ts";
import type { NameStore } from "../../domain/ports/names.ts";
import type { Page, PageRequest, Tenant } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import { actorName, type Actor } from "../../domain/tenancy/access.ts";
import type { ReadContent } from "../approvals/contents.ts";
import type { EditHeldCall, HeldCallEdits } from "../approvals/edit.ts";
import type { EndHeld } from "../approvals/end.ts";
import type { KeptResult, ShownResult } from "../approvals/hold-result.ts";
import type { KeptRequest, ShownRequest } from "../approvals/hold-request.ts";
import type { SlotsOf } from "../approvals/slots.ts";
import { limitRefusal } from "../sampling/admission/limit-refusal.ts";
import { eventOf, present, tenantFor, type AdminDeps } from "./access/access.ts";
import type { Named } from "./audit/records.ts";
import { edit, type IfMatch } from "./access/editing.ts";
import {
  createOwnCall,
  ownCallActions,
  subjectOf,
  type OwnCall,
  type OwnCallDeps,
} from "./access/own-calls.ts";

type ShownApproval = Omit<Approval, "isOpen">;

/** `maxCostUsd` is `null` without a known price. */
export interface ListedApproval extends ShownApproval, Omit<CallFigures, "maxMicroUsd"> {
  maxCostUsd: number | null;
}

/** `content` is `null` once it is no longer kept. */
export interface ApprovalDetail extends ShownApproval, Named {
  content: ShownRequest | ShownResult | null;
}

export interface DecisionInput {
  decision: "approve" | "deny";
  reason?: string;
  /** of a denial, for the caller */
  explanation?: string;
  edited?: HeldCallEdits;
  /** hex SHA-256 of what the approver saw */
  contentHash: string;
}

export interface ApprovalAdminDeps extends AdminDeps, OwnCallDeps {
  approvals: ApprovalStore;
  servers: Pick<ServerStore, "byId">;
  names: NameStore;
  readContent: ReadContent;
  endHeld: EndHeld;
  editHeldCall: EditHeldCall;
  slotsOf: SlotsOf;
  sendWebhooks: () => void;
}

const shown = ({ isOpen: _, ...approval }: Approval): ShownApproval => approval;
const listed = ({ isOpen: _, maxMicroUsd, ...call }: Approval & CallFigures): ListedApproval => ({
  ...call,
  maxCostUsd: maxMicroUsd === null ? null : maxMicroUsd / 1e6,
});

const late = err({
  reason: "conflict",
  detail: "Decided already, its time is over, or something else was shown. Read it again.",
} as const);

export function createApprovalAdmin(deps: ApprovalAdminDeps) {
  const { approvals, readContent, endHeld, editHeldCall, slotsOf, now } = deps;

  const find = async (actor: Actor, slug: string, id: string) => {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const place = { tenantId: tenant.value.id, requestId: id };
    const held = await present(approvals.find(place), `approval ${id}`);
    return held.ok ? ok({ tenant: tenant.value, place, held: held.value }) : held;
  };

  const namesIn = (
    tenantId: string,
    rows: readonly (Approval & { user?: string | null | undefined })[],
  ) =>
    deps.names.of(
      tenantId,
      rows.flatMap(({ keyId, decidedBy, user }) => [keyId, decidedBy ?? [], user ?? []].flat()),
    );

  const get = async (actor: Actor, slug: string, id: string): AsyncResult<ApprovalDetail> => {
    const found = await find(actor, slug, id);
    if (!found.ok) return found;
    const { place, held } = found.value;
    const kept = await readContent<KeptRequest | KeptResult>(place, held.approval.stage);
    if (!kept.ok) return kept;
    const content = kept.value?.shown ?? null;
    const names = await namesIn(place.tenantId, [{ ...held.approval, user: content?.who.user }]);
    if (!names.ok) return names;
    return ok({ ...shown(held.approval), content, names: names.value });
  };

  const ownCall = createOwnCall(deps);

  /** Refuses the actor's own call unless the current rule allows it to people. Never allowed to a key. */
  const refusedOwn = async (
    tenant: Tenant,
    { serverId }: HeldCall,
    own: OwnCall,
  ): AsyncResult<null> => {
    const server = serverId === null ? ok(null) : await deps.servers.byId(tenant.id, serverId);
    if (!server.ok) return server;
    const rule = approvalRuleOf(tenant.policy, server.value?.policy ?? null);
    return own === "person" && rule?.approvers === "self"
      ? ok(null)
      : err({ reason: "forbidden", action: ownCallActions[own] });
  };

  const decideOnce = async (
    actor: Actor,
    { tenant, held }: { tenant: Tenant; held: HeldCall },
    { decision, reason, explanation, contentHash, edited: edits }: DecisionInput,
  ): AsyncResult<null> => {
    const { approval } = held;
    const own = await ownCall(actor, approval);
    if (!own.ok) return own;
    const refused = own.value === null ? ok(null) : await refusedOwn(tenant, held, own.value);
    if (!refused.ok) return refused;
    const { requestId, stage, state: before } = approval;
    if (before !== "waiting") return late;
    const unedited = ok({ edited: explanation === undefined ? null : { explanation } });
    const edited = edits === undefined ? unedited : await editHeldCall(held, edits);
    if (!edited.ok) return edited;
    const takesSlots = stage === "request" && decision === "approve";
    const slots = takesSlots ? await slotsOf(held) : ok([]);
    if (!slots.ok) return slots;
    const subject = await subjectOf(deps, actor, tenant.id);
    if (!subject.ok) return subject;
    const by = actorName(actor);
    const state = decision === "approve" ? "approved" : "denied";
    const decided = await approvals.decide(
      {
        tenantId: tenant.id,
        requestId,
        stage,
        state,
        contentHash,
        by,
        bySubject: subject.value,
        isOwn: own.value !== null,
        comment: reason ?? null,
        ...edited.value,
        slots: slots.value,
        now: now(),
      },
      eventOf(deps, actor, {
        action: `approval.${decision}`,
        tenantId: tenant.id,
        target: requestId,
        detail: {
          stage,
          contentHash,
          ...(subject.value !== null && { subject: subject.value }),
          ...(own.value !== null && { isOwn: true }),
          ...(reason !== undefined && { reason }),
          ...(edited.value.edited !== null && { edited: { ...edited.value.edited } }),
        },
      }),
    );
    if (!decided.ok) return decided;
    const { value } = decided;
    if (value.state === "refused")
      return err(
        limitRefusal(value.check, { ...value, retryAfterMs: latestWait(value.check, now()) }),
      );
    deps.sendWebhooks();
    return value.state === "done" ? ok(null) : late;
  };

  return {
    async list(
      actor: Actor,
      slug: string,
      asked: PageRequest & { state: ApprovalState | null },
    ): AsyncResult<Page<ListedApproval> & Named> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      // Expires overdue calls first, so that no undecidable call is listed.
      const expired = await approvals.expire(now());
      if (!expired.ok) return expired;
      const page = await approvals.list(tenant.value.id, asked);
      if (!page.ok) return page;
      const names = await namesIn(tenant.value.id, page.value.data);
      if (!names.ok) return names;
      return ok({ ...page.value, data: page.value.data.map(listed), names: names.value });
    },

    get,

    async decide(
      actor: Actor,
      slug: string,
      { id, ifMatch, input }: { id: string; ifMatch: IfMatch; input: DecisionInput },
    ): AsyncResult<ApprovalDetail> {
      const found = await find(actor, slug, id);
      if (!found.ok) return found;
      const { tenant, held, place } = found.value;
      const decided = await edit(ifMatch, {
        async read() {
          const seen = await get(actor, slug, id);
          return seen.ok ? ok({ current: held, shown: seen.value, version: tenant.version }) : seen;
        },
        write: (current) => decideOnce(actor, { tenant, held: current }, input),
      });
      if (!decided.ok) return decided;
      const ended = await endHeld(place);
      return ended.ok ? get(actor, slug, id) : ended;
    },
  };
}
