/**
 * An admission whose answer never came may have happened all the same. Its caller was told that nothing
 * is called and nothing charged, so what it holds is given back, as soon as the database can be reached.
 */
import type { Opening, Settlement } from "../domain/audit.ts";
import type { Reserved } from "./admit.ts";
import type { EndCall } from "./end-call.ts";

/** ms between the tries: together within the 30 s that work may outlive its response. */
const pausesMs = [1_000, 4_000, 12_000];

const nothing = { auth: 0, choose: 0, approve: 0, admit: 0, provider: 0 };

export interface LostAdmission {
  opening: Opening;
  reserved: Reserved;
  isKeyed: boolean;
}

/** Nobody was called, and nothing is charged. */
const releaseOf = ({ opening, reserved, isKeyed }: LostAdmission, now: number): Settlement => ({
  id: opening.id,
  tenantId: opening.who.tenantId,
  now,
  holds: reserved.holds,
  outcome: "failed",
  reason: "unavailable",
  reasonDetail: null,
  attempts: [],
  usage: null,
  costMicroUsd: 0,
  chargedTokens: 0,
  chargedMicroUsd: 0,
  model: null,
  result: isKeyed ? "free" : null,
  health: [],
  circuits: [],
  probed: true,
  failing: [],
  captured: null,
  timing: nothing,
  totalMs: now - opening.createdAt,
  overheadMs: now - opening.createdAt,
});

export const createRelease =
  (deps: { endCall: EndCall; now: () => number; wait: (ms: number) => Promise<void> }) =>
  /** True if there was something to give back. What is never found ends with its lease, if it exists. */
  async (lost: LostAdmission): Promise<boolean> => {
    const { endCall, now, wait } = deps;
    for (const pauseMs of pausesMs) {
      await wait(pauseMs);
      const released = await endCall(releaseOf(lost, now()));
      if (released.ok && released.value) return true;
    }
    return false;
  };

export type Release = ReturnType<typeof createRelease>;
