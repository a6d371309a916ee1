import type { Stores, Vault } from "../../domain/ports/stores.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import {
  createReadContent,
  createSealContent,
  type ReadContent,
} from "../../pipeline/approvals/contents.ts";
import { createEditHeldCall, type EditHeldCall } from "../../pipeline/approvals/edit.ts";
import { createHeldCallerOf, createSlotsOf, type SlotsOf } from "../../pipeline/approvals/slots.ts";
import { createEndHeld, type EndHeld } from "../../pipeline/approvals/end.ts";
import type { Chooser } from "../../pipeline/sampling/choice/choose.ts";
import { createEndCall } from "../../pipeline/sampling/settlement/end-call.ts";
import type { Summary } from "../../pipeline/sampling/settlement/summary.ts";
import type { Idempotency } from "../../pipeline/sampling/request/idempotency.ts";
import type { Lifetime } from "../lifetime.ts";
import { createDatabaseWebhooks, type DatabaseWebhooks } from "./webhooks.ts";
import { clock, type Isolate } from "../isolate.ts";

export interface DatabaseApprovals extends DatabaseWebhooks {
  readContent: ReadContent;
  endHeld: EndHeld;
  editHeldCall: EditHeldCall;
  slotsOf: SlotsOf;
}

export function createDatabaseApprovals(deps: {
  stores: Pick<Stores, "approvals" | "ledger" | "snapshots" | "webhooks">;
  vault: Vault;
  ids: Ids;
  chooser: Pick<Chooser, "plan">;
  parts: { idempotency: Pick<Idempotency<Summary>, "seal"> };
  isolate: Pick<Isolate, "config" | "host" | "sha256Hex" | "webhookSlots">;
  lifetime: Pick<Lifetime, "origin" | "upkeep">;
}): DatabaseApprovals {
  const { stores, vault, ids, chooser, parts, isolate } = deps;
  const { approvals, ledger, snapshots } = stores;
  const endCall = createEndCall({ ledger, ids });
  const callerOf = createHeldCallerOf({ snapshots });
  const readContent = createReadContent({ approvals, vault });
  return {
    ...createDatabaseWebhooks(deps),
    readContent,
    slotsOf: createSlotsOf({ callerOf, read: readContent, now: clock.now }),
    editHeldCall: createEditHeldCall({
      callerOf,
      chooser,
      read: readContent,
      seal: createSealContent({ vault }),
      sha256Hex: isolate.sha256Hex,
      now: clock.now,
    }),
    endHeld: createEndHeld({
      approvals,
      read: readContent,
      endCall,
      idempotency: parts.idempotency,
      now: clock.now,
    }),
  };
}
