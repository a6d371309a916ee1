/**
 * When a refusal that the router remembers of a server is tested again. A refusal may have been a fault of that moment,
 * and servers change. So each one counts for a minute, and then one request finds out whether it still holds.
 */
import { createBoundedMap } from "../domain/bounded-map.ts";
import type { McpServer } from "../domain/servers/server.ts";

const retestMs = 60_000;

/** What a server refused: to speak the modern era, the legacy handshake, or more than bare sampling. */
export type RefusedBefore = "modern" | "handshake" | "rich_capabilities";

/** What this isolate knows of such tests. */
export function createRetests(deps: {
  capacity: number;
  /** ms, never set back */
  elapsed: () => number;
}) {
  const { capacity, elapsed } = deps;
  /** when a refusal was tested last, by server and refusal */
  const testedAt = createBoundedMap<string, number>(capacity);
  const note = ({ id }: Pick<McpServer, "id">, refused: RefusedBefore): void => {
    testedAt.set(`${id} ${refused}`, elapsed());
  };
  return {
    /** The server has refused just now. */
    note,
    /** Whether the caller has to test it again. Only one caller a minute in this isolate has to. */
    isDue(server: Pick<McpServer, "id">, refused: RefusedBefore): boolean {
      const last = testedAt.get(`${server.id} ${refused}`);
      if (last !== undefined && elapsed() - last < retestMs) return false;
      note(server, refused);
      return true;
    },
  };
}

export type Retests = ReturnType<typeof createRetests>;
