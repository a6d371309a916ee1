import type { Settlement, Who } from "../../domain/audit/record.ts";
import type { ApprovalStore } from "../../domain/ports/approvals.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import type { Block } from "../../domain/sampling/call.ts";
import type { ApprovalNeed } from "../../domain/sampling/approval.ts";
import type { Usage } from "../../domain/usage.ts";
import type { Summary } from "../sampling/settlement/summary.ts";
import type { Recorded } from "../sampling/request/idempotency.ts";
import type { Ended } from "../sampling/settlement/settle.ts";
import type { Running } from "../sampling/states/states.ts";
import { webhookOf, type SealContent } from "./hold-request.ts";

export interface ShownResult {
  who: Who;
  server: string | null;
  model: string;
  content: Block[];
  usage: Usage | null;
  /** USD; `null` without a known price */
  costUsd: number | null;
}

export interface KeptResult {
  shown: ShownResult;
  settlement: Settlement;
  recorded: Recorded<Summary> & { ok: true };
}

/** Has the result wait for approval. False: the call has ended meanwhile. */
export type HoldResult = (
  call: Pick<Running, "opening" | "caller">,
  result: { ended: Ended; recorded: KeptResult["recorded"]; need: ApprovalNeed },
) => AsyncResult<boolean>;

export const createHoldResult =
  (deps: {
    approvals: Pick<ApprovalStore, "holdResult">;
    settlementOf: (ended: Ended) => Promise<Settlement>;
    seal: SealContent;
    sha256Hex: (text: string) => Promise<string>;
    consoleOrigin: string | null;
    sendWebhooks: () => void;
    now: () => number;
  }): HoldResult =>
  async ({ opening, caller }, { ended, recorded, need }) => {
    const { tenantId, keyId } = opening.who;
    const { answer } = recorded.value;
    const shown: ShownResult = {
      who: opening.who,
      server: caller.server?.slug ?? null,
      model: answer.model,
      content: answer.content,
      usage: ended.charge.usage,
      costUsd: ended.charge.microUsd === null ? null : ended.charge.microUsd / 1e6,
    };
    const settlement = { ...(await deps.settlementOf(ended)), receipt: null };
    const kept: KeptResult = { shown, settlement, recorded };
    const now = deps.now();
    const { model, costUsd } = shown;
    const webhook = webhookOf(
      { opening, caller, need },
      { stage: "result", model, costUsd, consoleOrigin: deps.consoleOrigin },
    );
    const held = await deps.approvals.holdResult(
      { tenantId, requestId: opening.id, keyId, now },
      {
        stage: "result",
        deadline: now + need.timeoutMs,
        onTimeout: need.onTimeout,
        conditions: need.conditions,
        contentHash: await deps.sha256Hex(JSON.stringify(shown)),
        parts: await deps.seal(tenantId, `${opening.id}#result`, JSON.stringify(kept)),
        ...(webhook !== null && { webhook }),
      },
    );
    if (webhook !== null) deps.sendWebhooks();
    return held;
  };
