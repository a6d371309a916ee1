import { createLaneOf } from "../../pipeline/callers/lanes.ts";
import { createDoor, createTurns, type Door } from "../../pipeline/sampling/turns.ts";
import type { Turns } from "../../domain/limits/turns.ts";
import { after, clock, type Isolate } from "../isolate.ts";

const { elapsed, wait } = clock;

export function createDatabaseTurns(
  isolate: Pick<Isolate, "turns" | "heldBack" | "tokens" | "memory" | "host">,
  name: string,
): { turns: Turns; door: Door } {
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
