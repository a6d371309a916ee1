import { createLaneOf } from "../../pipeline/callers/lanes.ts";
import {
  createCallScheduler,
  createAdmissionQueue,
  type CallScheduler,
} from "../../pipeline/sampling/scheduling.ts";
import type { AdmissionQueue } from "../../domain/limits/admission-queue.ts";
import { after, clock, type Isolate } from "../isolate.ts";

const { elapsed, wait } = clock;

export function createDatabaseScheduling(
  isolate: Pick<Isolate, "queues" | "heldBack" | "tokens" | "memory" | "host">,
  name: string,
): { writeQueue: AdmissionQueue; callScheduler: CallScheduler } {
  const { queues, heldBack, tokens, memory, host } = isolate;
  const { writes, admissions } = queues(name);
  const immediately = host.immediately ?? ((act: () => void) => void after(0, act));
  const admitting = createAdmissionQueue({ order: admissions, elapsed, after, immediately });
  return {
    writeQueue: createAdmissionQueue({ order: writes, elapsed, after, immediately }),
    callScheduler: createCallScheduler({
      queue: admitting,
      heldBack,
      pause: () => new Promise(immediately),
      wait,
      laneOf: createLaneOf({ tokens, memory }),
    }),
  };
}
