/** What approvers, callers and jobs do with the held calls of one shard. */
import type { Stores, Vault } from "../domain/ports/stores.ts";
import type { Ids } from "../domain/tenancy/ids.ts";
import { createReadContent, type ReadContent } from "../pipeline/approvals/contents.ts";
import { createEndHeld, type EndHeld } from "../pipeline/approvals/end.ts";
import { createEndCall } from "../pipeline/end-call.ts";
import type { Summary } from "../pipeline/finish.ts";
import type { Idempotency } from "../pipeline/idempotency.ts";
import { clock } from "./isolate.ts";

export interface ShardApprovals {
  readContent: ReadContent;
  endHeld: EndHeld;
}

export function createShardApprovals(deps: {
  stores: Pick<Stores, "approvals" | "ledger">;
  vault: Vault;
  ids: Ids;
  idempotency: Pick<Idempotency<Summary>, "seal">;
}): ShardApprovals {
  const { stores, vault, ids, idempotency } = deps;
  const { approvals, ledger } = stores;
  const endCall = createEndCall({ ledger, ids });
  return {
    readContent: createReadContent({ approvals, vault }),
    endHeld: createEndHeld({ approvals, endCall, idempotency, now: clock.now }),
  };
}
