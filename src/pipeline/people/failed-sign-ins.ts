import type { EventStore } from "../../domain/ports/stores.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import type { SignInTry } from "./sign-in-throttle.ts";

export interface FailedSignIn {
  tenantId: string | null;
  /** claimed identity: a key id of that tenant, `operator`, `key`, or `person` */
  target: string;
  address: string;
  /** absent if the key is wrong */
  fault?: string;
}

/** Limited by `isNoted`, so that a guesser can't fill the events. */
export type NoteFailedSignIn = (
  failed: FailedSignIn,
  attempt: Pick<SignInTry, "failures" | "isNoted">,
) => Promise<void>;

export const createFailedSignIns =
  (deps: {
    events: Pick<EventStore, "append">;
    ids: Pick<Ids, "next">;
    log: (entry: Record<string, unknown>) => void;
    now: () => number;
  }): NoteFailedSignIn =>
  async ({ tenantId, target, address, fault }, { failures, isNoted }) => {
    if (!isNoted) return;
    const why = fault === undefined ? {} : { fault };
    deps.log({ event: "sign_in.fail", tenantId, target, failures, ...why });
    await deps.events.append({
      id: deps.ids.next("event"),
      at: deps.now(),
      actor: "unknown",
      action: "sign_in.fail",
      tenantId,
      target,
      detail: { address, failures, ...why },
    });
  };
