import type { Actor } from "../../../domain/tenancy/access.ts";
import { isCorrectable, type Correction } from "../../../domain/audit/record.ts";
import type { Ledger } from "../../../domain/ports/ledger.ts";
import type { RequestStore } from "../../../domain/ports/stores.ts";
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import { err, type Result } from "../../../domain/result.ts";
import { eventOf, present, tenantFor, type AdminDeps } from "../access/access.ts";
import type { RecordWithContent } from "./records.ts";

export type Found = Pick<Correction, "outcome" | "inputTokens" | "outputTokens"> & {
  costUsd: number;
  reason: string;
};

const notLost: Result<never, Refusal> = err({
  reason: "conflict",
  detail: "Only a call of unknown outcome, or one whose usage was not believed, can be corrected.",
});

export const createCorrectionAdmin =
  (
    deps: AdminDeps & { ledger: Ledger; requests: RequestStore },
    read: (actor: Actor, slug: string, id: string) => AsyncResult<RecordWithContent>,
  ) =>
  async (actor: Actor, slug: string, id: string, found: Found): AsyncResult<RecordWithContent> => {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const tenantId = tenant.value.id;
    const lost = await present(deps.requests.get(tenantId, id), `request ${id}`);
    if (!lost.ok) return lost;
    if (actor.kind !== "operator")
      return err({ reason: "forbidden", action: "only the operator can correct records" });
    if (!isCorrectable(lost.value)) return notLost;
    const { outcome, inputTokens, outputTokens, costUsd, reason } = found;
    const after = { outcome, inputTokens, outputTokens, costMicroUsd: Math.round(costUsd * 1e6) };
    const event = eventOf(deps, actor, {
      action: "request.correct",
      tenantId,
      target: id,
      detail: { after, reason },
    });
    const corrected = await deps.ledger.correct(
      { tenantId, id, correction: { ...after, reason, actor: event.actor, at: event.at } },
      event,
    );
    if (!corrected.ok) return corrected;
    return corrected.value ? read(actor, slug, id) : notLost;
  };
