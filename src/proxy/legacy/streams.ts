/**
 * If the client opens no GET stream, the router does while a request runs. The client's request for it is
 * stored first, and the router's stream then closes.
 */
import { createBoundedMap } from "../../domain/bounded-map.ts";
import { clockSlackMs } from "../../domain/clocks.ts";
import type { SessionStore } from "../../domain/ports/stores.ts";
import type { Session } from "../../domain/tenancy/session.ts";

const leaseMs = 60_000;
/** ms until a server without such a stream is asked again */
const notOfferedMs = 60_000;
/** ms. A shorter lease means that the client has requested its stream, and not got it yet. */
const wantedMs = 5_000;
/** ms that a request waits for its client's stream, because earlier messages on it would be lost */
const patienceMs = 1_000;
export const renewStreamMs = 25_000;
const lookHereMs = 10;
/** ms after `initialize` in which clients open their stream */
const youngMs = 2_000;
const graceMs = 300;
const lookMs = 60;
/** ms within which a holder in this isolate has to renew, because an invocation may be terminated */
const holderMs = 1_000;

/** elapsed ms until which each fact holds */
interface Known {
  clientUntil: number;
  wantedUntil: number;
  noneUntil: number;
}
const nothing: Known = { clientUntil: 0, wantedUntil: 0, noneUntil: 0 };

/** The stream that the router holds for all requests of a session in this isolate. */
interface RouterStream {
  needed: number;
  /** of the request that opens or holds it */
  lease: { until: number; isOpen: boolean } | null;
}

export interface StreamMemory {
  /** until when a client's GET may be on its way, by sender */
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
  elapsed: () => number;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}) {
  const { sessions, memory, now, elapsed, wait } = deps;
  const stored = async ({ tenantId, id }: Session): Promise<Session | null> => {
    const found = await sessions.get(tenantId, id);
    return found.ok ? found.value : null;
  };
  /** ms left of a stored lease. More than a whole lease means that a clock was set back. */
  const leftOf = (until: number): number => {
    const leftMs = until - now();
    return leftMs > leaseMs + clockSlackMs ? 0 : leftMs;
  };
  const clientStream = async (session: Session): Promise<"open" | "wanted" | null> => {
    const seen = memory.get(session.id).clientUntil - elapsed();
    if (seen > wantedMs) return "open";
    const leftMs = leftOf((await stored(session))?.clientStreamUntil ?? 0);
    if (leftMs <= wantedMs) return leftMs > 0 ? "wanted" : null;
    memory.set(session.id, { clientUntil: elapsed() + leftMs });
    return "open";
  };

  const routerStreamHere = ({ id }: Session): "open" | "opening" | null => {
    const lease = memory.routerStreams.get(id)?.lease ?? null;
    if (lease === null || lease.until <= elapsed()) return null;
    return lease.isOpen ? "open" : "opening";
  };

  return {
    /**
     * Called before anything is awaited, because the client's first POST may follow.
     * @param sender identifies key and session before they are looked up
     */
    isOpening(sender: string): () => void {
      const until = elapsed() + patienceMs;
      // Removes GETs of terminated invocations.
      for (const [other, end] of memory.opening) if (end <= elapsed()) memory.opening.delete(other);
      memory.opening.set(sender, until);
      return () => {
        if (memory.opening.get(sender) === until) memory.opening.delete(sender);
      };
    },
    async untilOpened(sender: string, left: AbortSignal): Promise<void> {
      while ((memory.opening.get(sender) ?? 0) > elapsed() && !left.aborted)
        await wait(lookHereMs, left);
    },
    async untilOpenedElsewhere(session: Session, left: AbortSignal): Promise<void> {
      const startedAt = elapsed();
      if (now() - session.createdAt >= youngMs) return;
      while (!left.aborted && elapsed() < startedAt + patienceMs) {
        const { noneUntil, wantedUntil } = memory.get(session.id);
        if (noneUntil > elapsed() || wantedUntil > 0 || (await clientStream(session)) !== "wanted")
          return;
        await wait(lookMs, left);
      }
    },

    async clientWants({ tenantId, id }: Session): Promise<void> {
      memory.set(id, { wantedUntil: elapsed() + wantedMs });
      await sessions.holdStream(tenantId, id, { clientStreamUntil: now() + wantedMs });
    },
    /** The client's stream is open. Due within a lease while it is. */
    async clientHolds({ tenantId, id }: Session): Promise<void> {
      memory.set(id, { clientUntil: elapsed() + leaseMs });
      await sessions.holdStream(tenantId, id, { clientStreamUntil: now() + leaseMs });
    },
    async clientReleases({ tenantId, id }: Session): Promise<void> {
      memory.set(id, {});
      await sessions.holdStream(tenantId, id, { clientStreamUntil: 0 });
    },
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
    /** `clientHas` from this isolate's memory alone. */
    clientHasHere({ id }: Session): boolean {
      const { clientUntil, wantedUntil } = memory.get(id);
      return Math.max(clientUntil, wantedUntil) > elapsed();
    },

    /** A request may need the router's stream until it calls the returned function. */
    needs({ id }: Session): () => void {
      const routerStream = memory.routerStreams.get(id) ?? { needed: 0, lease: null };
      memory.routerStreams.set(id, routerStream);
      routerStream.needed += 1;
      return () => {
        routerStream.needed -= 1;
        if (routerStream.needed <= 0 && routerStream.lease === null)
          memory.routerStreams.delete(id);
      };
    },
    isNeeded: ({ id }: Session): boolean => (memory.routerStreams.get(id)?.needed ?? 0) > 0,
    routerStreamHere,
    /** A lease to open the stream, to be renewed every second; null: another request has it. */
    acquire(session: Session) {
      const { id } = session;
      if (routerStreamHere(session) !== null) return null;
      const routerStream = memory.routerStreams.get(id) ?? { needed: 0, lease: null };
      memory.routerStreams.set(id, routerStream);
      const lease = { until: elapsed() + holderMs, isOpen: false };
      routerStream.lease = lease;
      return {
        opened: (): void => void (lease.isOpen = true),
        renew: (): void => void (lease.until = elapsed() + holderMs),
        release(): void {
          if (routerStream.lease === lease) routerStream.lease = null;
          if (routerStream.needed <= 0 && routerStream.lease === null)
            memory.routerStreams.delete(id);
        },
      };
    },

    /** Whether the router has to open a stream: the client has none, and a new client had time to open one. */
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
