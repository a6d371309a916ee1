/** Writes down sign-ins that failed: in the log, and in the events of the tenant at which somebody tried. */
import type { EventStore } from "../../domain/ports/stores.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import type { SignInTry } from "./sign-in-throttle.ts";

export interface FailedSignIn {
  /** null: the operator's */
  tenantId: string | null;
  /** who somebody claimed to be: an id of a key of that tenant, `operator`, `key` or `person` */
  target: string;
  address: string;
  /** why it failed, in one word; absent: the key is wrong */
  fault?: string;
}

/** Not every failure is written down, or a guesser could fill the events: `isNoted` of the try says which are. */
export type NoteFailedSignIn = (
  failed: FailedSignIn,
  turn: Pick<SignInTry, "failures" | "isNoted">,
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
