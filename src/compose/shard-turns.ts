/** The turns of one shard's database and of its calls, as one invocation takes them. */
import { createLaneOf } from "../pipeline/authenticate.ts";
import { createDoor, createTurns, type Door } from "../pipeline/turns.ts";
import type { Turns } from "../domain/limits/turns.ts";
import { after, clock, type Isolate } from "./isolate.ts";

const { elapsed, wait } = clock;

export function createShardTurns(
  { turns, heldBack, tokens, memory }: Pick<Isolate, "turns" | "heldBack" | "tokens" | "memory">,
  name: string,
): { turns: Turns; door: Door } {
  const { writes, admissions } = turns(name);
  const admitting = createTurns({ order: admissions, elapsed, after });
  return {
    turns: createTurns({ order: writes, elapsed, after }),
    door: createDoor({
      turns: admitting,
      heldBack,
      wait,
      laneOf: createLaneOf({ tokens, memory }),
    }),
  };
}
