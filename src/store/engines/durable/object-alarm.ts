/**
 * When an object wakes to run its jobs: a minute after the first write since they ran last, and then when something is
 * due; at once where a run left work. An object in which nothing is due has no alarm, sleeps, and costs its storage only.
 */
import type { DurableObjectStorage } from "@cloudflare/workers-types";

export type AlarmStorage = Pick<DurableObjectStorage, "getAlarm" | "setAlarm" | "deleteAlarm">;

/** ms. An alarm is billed as a written row, so there is none for each write. */
const leastMs = 60_000;

export interface ObjectAlarm {
  /** Reads whether there is an alarm. Called before a job's first write. */
  look(): Promise<void>;
  /** Called after a write. The alarm is durable together with the written rows. */
  written(): void;
  /** Called when the alarm has come. From then on there is no alarm. */
  come(): void;
  /** @param at ms since the epoch, when something is due */
  due(at: number): void;
  /** Wakes the object again at once: a run has left work. */
  again(): void;
}

export function createObjectAlarm(storage: AlarmStorage, now: () => number): ObjectAlarm {
  /** undefined: nobody has read the alarm since the object woke */
  let alarm: number | null | undefined;
  const set = (at: number): void => {
    if (alarm !== null && alarm !== undefined && alarm <= at) return;
    alarm = at;
    // The output gate holds the answer back until the alarm is durable too.
    void storage.setAlarm(at);
  };
  return {
    async look() {
      if (alarm === undefined) alarm = await storage.getAlarm();
    },
    written() {
      if (alarm === null) set(now() + leastMs);
    },
    come() {
      alarm = null;
    },
    due(at) {
      set(Math.max(at, now() + leastMs));
    },
    again: () => set(now()),
  };
}
