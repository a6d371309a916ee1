import { createLaneOf } from "../../pipeline/callers/lanes.ts";
import { createDoor, createTurns, type Door } from "../../pipeline/sampling/turns.ts";
import type { AdmissionQueue } from "../../domain/limits/admission-queue.ts";
import { after, clock, type Isolate } from "../isolate.ts";

const { elapsed, wait } = clock;

export function createDatabaseTurns(
  isolate: Pick<Isolate, "turns" | "heldBack" | "tokens" | "memory" | "host">,
  name: string,
): { turns: AdmissionQueue; door: Door } {
  const { turns, heldBack, tokens, memory, host } = isolate;
  const { writes, admissions } = turns(name);
  const immediately = host.immediately ?? ((act: () => void) => void after(0, act));
  const admitting = createTurns({ order: admissions, elapsed, after, immediately });
  return {
    turns: createTurns({ order: writes, elapsed, after, immediately }),
    door: createDoor({
      turns: admitting,
      heldBack,
      pause: () => new Promise(immediately),
      wait,
      laneOf: createLaneOf({ tokens, memory }),
    }),
  };
}
