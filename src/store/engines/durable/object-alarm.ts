/** An idle object has no alarm and costs only storage. */
import type { DurableObjectStorage } from "@cloudflare/workers-types";

export type AlarmStorage = Pick<DurableObjectStorage, "getAlarm" | "setAlarm" | "deleteAlarm">;

/** ms. Cloudflare bills each alarm as a written row. */
const minMs = 60_000;

export interface ObjectAlarm {
  /** Reads the current alarm. Call before a job's first write. */
  look(): Promise<void>;
  /** Call after a write. The alarm is durable with the written rows. */
  written(): void;
  come(): void;
  due(at: number): void;
  again(): void;
}

export function createObjectAlarm(storage: AlarmStorage, now: () => number): ObjectAlarm {
  let alarm: number | null | undefined;
  const set = (at: number): void => {
    if (alarm !== null && alarm !== undefined && alarm <= at) return;
    alarm = at;
    // The output gate holds the answer back until the alarm is durable.
    void storage.setAlarm(at);
  };
  return {
    async look() {
      if (alarm === undefined) alarm = await storage.getAlarm();
    },
    written() {
      if (alarm === null) set(now() + minMs);
    },
    come() {
      alarm = null;
    },
    due(at) {
      set(Math.max(at, now() + minMs));
    },
    again: () => set(now()),
  };
}
