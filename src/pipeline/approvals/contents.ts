import type { ApprovalStore, CallPlace } from "../../domain/ports/approvals.ts";
import type { Vault } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import type { HeldContent } from "../../domain/sampling/approval.ts";
import { resultPartsOf } from "../../domain/sampling/replay-key.ts";
import type { SealContent } from "./hold-request.ts";

const sealedFor = (tenantId: string, id: string) =>
  ({ purpose: "result", tenantId, provider: "", id, destination: "" }) as const;

export const createSealContent =
  ({ vault }: { vault: Vault }): SealContent =>
  async (tenantId, id, text) =>
    resultPartsOf(await vault.seal(text, sealedFor(tenantId, id)));

export type ReadContent = <T>(place: CallPlace, kind: HeldContent) => AsyncResult<T | null>;

/** `null` if missing. Only this router seals contents, so the shape is trusted. */
export const createReadContent =
  ({ approvals, vault }: { approvals: ApprovalStore; vault: Vault }): ReadContent =>
  async <T>(place: CallPlace, kind: HeldContent): AsyncResult<T | null> => {
    const sealed = await approvals.content(place, kind);
    if (!sealed.ok) return sealed;
    if (sealed.value === null) return ok(null);
    const { tenantId, requestId } = place;
    const opened = await vault.open(sealed.value, sealedFor(tenantId, `${requestId}#${kind}`));
    return opened.ok
      ? ok(JSON.parse(opened.value) as T)
      : err({ reason: "unreadable", what: `what was shown of ${requestId}` });
  };
