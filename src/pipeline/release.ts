/**
 * An admission whose answer never came may have happened all the same. Its caller was told that nothing
 * is called and nothing charged, so what it holds is given back, as soon as the database can be reached.
 */
import type { Opening } from "../domain/audit.ts";
import type { Ledger } from "../domain/ledger.ts";
import type { Reserved } from "./admit.ts";

/** ms between the tries: together within the 30 s that work may outlive its response. */
const pausesMs = [1_000, 4_000, 12_000];

const nothing = { auth: 0, choose: 0, approve: 0, admit: 0, provider: 0 };

export const createRelease =
  (deps: { ledger: Ledger; now: () => number; wait: (ms: number) => Promise<void> }) =>
  /** True if there was something to give back. What is never found ends with its lease, if it exists. */
  async (lost: { opening: Opening; reserved: Reserved; isKeyed: boolean }): Promise<boolean> => {
    const { ledger, now, wait } = deps;
    const { opening, reserved, isKeyed } = lost;
    for (const pauseMs of pausesMs) {
      await wait(pauseMs);
      const released = await ledger.settle({
        id: opening.id,
        tenantId: opening.who.tenantId,
        now: now(),
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
        totalMs: now() - opening.createdAt,
        overheadMs: now() - opening.createdAt,
      });
      if (released.ok && released.value) return true;
    }
    return false;
  };

export type Release = ReturnType<typeof createRelease>;
