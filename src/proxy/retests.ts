/**
 * Schedules retests of what a server has refused, because refusals can be transient and servers change: a minute after each
 * one, a single request finds out whether it still holds.
 */
import { createBoundedMap } from "../domain/bounded-map.ts";
import type { McpServer } from "../domain/servers/server.ts";

const retestMs = 60_000;

export type RefusedBefore = "modern" | "handshake" | "rich_capabilities";

export function createRetests(deps: { capacity: number; elapsed: () => number }) {
  const { capacity, elapsed } = deps;
  const testedAt = createBoundedMap<string, number>(capacity);
  const note = ({ id }: Pick<McpServer, "id">, refused: RefusedBefore): void => {
    testedAt.set(`${id} ${refused}`, elapsed());
  };
  return {
    note,
    /** True for one caller per minute and isolate, who has to test it. */
    isDue(server: Pick<McpServer, "id">, refused: RefusedBefore): boolean {
      const last = testedAt.get(`${server.id} ${refused}`);
      if (last !== undefined && elapsed() - last < retestMs) return false;
      note(server, refused);
      return true;
    },
  };
}

export type Retests = ReturnType<typeof createRetests>;
