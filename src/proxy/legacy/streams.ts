/**
 * Who holds a legacy session's GET stream. A server has one per session, and may sample only on it. Where the
 * client opens none, the router does while a request runs. The router's stream must never be in the client's
 * way: the client's wish is stored before the server is asked, and the router's stream ends when the client
 * wants one.
 */
import { createBoundedMap } from "../../domain/bounded-map.ts";
import { clockSlackMs } from "../../domain/clocks.ts";
import type { SessionStore } from "../../domain/ports/stores.ts";
import type { Session } from "../../domain/tenancy/session.ts";

/** ms for which a holder counts that has died without a word. */
const leaseMs = 60_000;
/** ms for which a server that offers no such stream is not asked for one again. */
const notOfferedMs = 60_000;
/** ms. A lease with no more than this left means that the client only asks for its stream. */
const wantedMs = 5_000;
/** ms that a request waits for its client's stream to stand: what the server sends before that would be lost. */
const patienceMs = 1_000;
export const renewStreamMs = 25_000;
/** ms between two looks, which cost nothing. */
const lookHereMs = 10;
/** ms after `initialize` in which clients open their stream, beside their first requests. */
const youngMs = 2_000;
const graceMs = 300;
const lookMs = 60;
/** ms within which a holder in this isolate has to renew its turn, since an invocation may end without a word. */
const turnMs = 1_000;

interface Known {
  /** until when a client's stream was seen */
  clientUntil: number;
  /** until when the client that asked for the stream may be about to get it */
  wantedUntil: number;
  /** until when the server's refusal of such a stream counts */
  noneUntil: number;
}
const nothing: Known = { clientUntil: 0, wantedUntil: 0, noneUntil: 0 };

/** The stream that the router holds in this isolate. One is enough for all requests that run here. */
interface RouterStream {
  /** how many requests run here that may need the stream */
  needed: number;
  /** the turn to hold the stream, or to ask for the stream; null: no request here has that turn */
  turn: { until: number; stands: boolean } | null;
}

/** What this isolate knows of streams. */
export interface StreamMemory {
  /** until when a client's GET may be on its way to the server, by its sender */
  opening: Map<string, number>;
  get(sessionId: string): Known;
  set(sessionId: string, known: Partial<Known>): void;
  routerStreams: Map<string, RouterStream>;
}

export function createStreamMemory(capacity: number): StreamMemory {
  const entries = createBoundedMap<string, Known>(capacity);
  return {
    opening: new Map(),
    routerStreams: new Map(),
    get: (sessionId) => entries.get(sessionId) ?? nothing,
    set: (sessionId, known) => entries.set(sessionId, { ...nothing, ...known }),
  };
}

export function createStreams(deps: {
  sessions: SessionStore;
  memory: StreamMemory;
  now: () => number;
  /** ms, never set back; for what this isolate remembers */
  elapsed: () => number;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}) {
  const { sessions, memory, now, elapsed, wait } = deps;
  const stored = async ({ tenantId, id }: Session): Promise<Session | null> => {
    const found = await sessions.get(tenantId, id);
    return found.ok ? found.value : null;
  };
  /**
   * ms that a stored lease still has. A lease with more than a whole lease left was written before a clock was
   * set back.
   */
  const leftOf = (until: number): number => {
    const leftMs = until - now();
    return leftMs > leaseMs + clockSlackMs ? 0 : leftMs;
  };
  /** `open`: the server has given the stream; `wanted`: the client has asked for it */
  const clientStream = async (session: Session): Promise<"open" | "wanted" | null> => {
    const seen = memory.get(session.id).clientUntil - elapsed();
    if (seen > wantedMs) return "open";
    const leftMs = leftOf((await stored(session))?.clientStreamUntil ?? 0);
    if (leftMs <= wantedMs) return leftMs > 0 ? "wanted" : null;
    memory.set(session.id, { clientUntil: elapsed() + leftMs });
    return "open";
  };

  /** Whether another request here holds the router's stream (`stands`), or asks for it. */
  const routerStreamHere = ({ id }: Session): "stands" | "asked" | null => {
    const turn = memory.routerStreams.get(id)?.turn ?? null;
    if (turn === null || turn.until <= elapsed()) return null;
    return turn.stands ? "stands" : "asked";
  };

  return {
    /**
     * A GET has arrived here, and is on its way until the returned function is called. It is noted before
     * anything is awaited, because the client's first POST may be right behind it.
     * @param sender names the key and the session as they came, since they have not been looked up yet
     */
    isOpening(sender: string): () => void {
      const until = elapsed() + patienceMs;
      // Forgets GETs of invocations that ended without a word.
      for (const [other, end] of memory.opening) if (end <= elapsed()) memory.opening.delete(other);
      memory.opening.set(sender, until);
      return () => {
        if (memory.opening.get(sender) === until) memory.opening.delete(sender);
      };
    },
    /** Waits while a GET of that sender is on its way, a second at most. */
    async untilOpened(sender: string, left: AbortSignal): Promise<void> {
      while ((memory.opening.get(sender) ?? 0) > elapsed() && !left.aborted)
        await wait(lookHereMs, left);
    },
    /** Waits for a GET that another isolate may have taken. Only a new session's is looked for. */
    async untilOpenedElsewhere(session: Session, left: AbortSignal): Promise<void> {
      const startedAt = elapsed();
      if (now() - session.createdAt >= youngMs) return;
      while (!left.aborted && elapsed() < startedAt + patienceMs) {
        // A GET that this isolate has taken was waited for above.
        const { noneUntil, wantedUntil } = memory.get(session.id);
        if (noneUntil > elapsed() || wantedUntil > 0 || (await clientStream(session)) !== "wanted")
          return;
        await wait(lookMs, left);
      }
    },

    /** The client asks for its stream. */
    async clientWants({ tenantId, id }: Session): Promise<void> {
      memory.set(id, { wantedUntil: elapsed() + wantedMs });
      await sessions.holdStream(tenantId, id, { clientStreamUntil: now() + wantedMs });
    },
    /** The server has given the client its stream, or the stream is still open. */
    async clientHolds({ tenantId, id }: Session): Promise<void> {
      memory.set(id, { clientUntil: elapsed() + leaseMs });
      await sessions.holdStream(tenantId, id, { clientStreamUntil: now() + leaseMs });
    },
    async clientReleases({ tenantId, id }: Session): Promise<void> {
      memory.set(id, {});
      await sessions.holdStream(tenantId, id, { clientStreamUntil: 0 });
    },
    /** The server has no such stream, or none for this client. It is asked again after a minute. */
    isNotOffered({ id }: Session): void {
      memory.set(id, { noneUntil: elapsed() + notOfferedMs });
    },
    async routerHolds({ tenantId, id }: Session): Promise<void> {
      await sessions.holdStream(tenantId, id, { routerStreamUntil: now() + leaseMs });
    },
    async routerReleases({ tenantId, id }: Session): Promise<void> {
      await sessions.holdStream(tenantId, id, { routerStreamUntil: 0 });
    },
    isRouters: async (session: Session): Promise<boolean> =>
      leftOf((await stored(session))?.routerStreamUntil ?? 0) > 0,
    clientHas: async (session: Session): Promise<boolean> => (await clientStream(session)) !== null,
    /** `clientHas` for what happened in this isolate, which costs nothing. */
    clientHasHere({ id }: Session): boolean {
      const { clientUntil, wantedUntil } = memory.get(id);
      return Math.max(clientUntil, wantedUntil) > elapsed();
    },

    /** A request runs that may need the router's stream, until the returned function is called. */
    needs({ id }: Session): () => void {
      const routerStream = memory.routerStreams.get(id) ?? { needed: 0, turn: null };
      memory.routerStreams.set(id, routerStream);
      routerStream.needed += 1;
      return () => {
        routerStream.needed -= 1;
        if (routerStream.needed <= 0 && routerStream.turn === null) memory.routerStreams.delete(id);
      };
    },
    isNeeded: ({ id }: Session): boolean => (memory.routerStreams.get(id)?.needed ?? 0) > 0,
    routerStreamHere,
    /** The turn to ask for the stream, which has to be renewed within a second; null: another request has it. */
    takeTurn(session: Session) {
      const { id } = session;
      if (routerStreamHere(session) !== null) return null;
      const routerStream = memory.routerStreams.get(id) ?? { needed: 0, turn: null };
      memory.routerStreams.set(id, routerStream);
      const turn = { until: elapsed() + turnMs, stands: false };
      routerStream.turn = turn;
      return {
        stands: (): void => void (turn.stands = true),
        renew: (): void => void (turn.until = elapsed() + turnMs),
        release(): void {
          if (routerStream.turn === turn) routerStream.turn = null;
          if (routerStream.needed <= 0 && routerStream.turn === null)
            memory.routerStreams.delete(id);
        },
      };
    },

    /** Whether the router has to hold a stream: the client has none, and a new client had time to open one. */
    async isMissing(session: Session): Promise<boolean> {
      const startedAt = elapsed();
      const graceUntil = startedAt + (now() - session.createdAt < youngMs ? graceMs : 0);
      for (;;) {
        if (memory.get(session.id).noneUntil > elapsed()) return false;
        const stream = await clientStream(session);
        if (stream === "open") return false;
        if (stream === "wanted" && elapsed() >= startedAt + patienceMs) return false;
        if (stream === null && elapsed() >= graceUntil) return true;
        await wait(lookMs);
      }
    },
  };
}

export type Streams = ReturnType<typeof createStreams>;
