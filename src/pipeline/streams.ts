/**
 * Who holds a legacy session's GET stream. A server has one per session, and may sample on it alone: where
 * the client opens none, the router does while a request runs. It must never be in the client's way, so
 * a client's stream is written down before it is asked for, and the router's ends when one is wanted.
 */
import type { SessionStore } from "../domain/ports.ts";
import type { Session } from "../domain/session.ts";

/** A holder that dies is believed this long. */
const leaseMs = 60_000;
/** A client that only asks for its stream: a lease with no more than this left means no more than that. */
const wantedMs = 5_000;
/** What a request waits for its client's stream to stand: what is sent before that would be lost. */
const patienceMs = 1_000;
export const renewStreamMs = 25_000;
/** Clients open theirs right after `initialize`, beside their first requests. */
const youngMs = 2_000;
const graceMs = 300;
const lookMs = 60;

/** What this isolate knows: until when a client's stream was seen, or that the server offers none. */
export interface StreamMemory {
  get(sessionId: string): { clientUntil: number; none: boolean };
  set(sessionId: string, known: { clientUntil: number; none: boolean }): void;
}

export function createStreamMemory(capacity: number): StreamMemory {
  const entries = new Map<string, { clientUntil: number; none: boolean }>();
  return {
    get: (sessionId) => entries.get(sessionId) ?? { clientUntil: 0, none: false },
    set(sessionId, known) {
      entries.delete(sessionId);
      entries.set(sessionId, known);
      const oldest = entries.keys().next();
      if (entries.size > capacity && oldest.done !== true) entries.delete(oldest.value);
    },
  };
}

export function createStreams(deps: {
  sessions: SessionStore;
  memory: StreamMemory;
  now: () => number;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}) {
  const { sessions, memory, now, wait } = deps;
  const stored = async ({ tenantId, id }: Session): Promise<Session | null> => {
    const found = await sessions.get(tenantId, id);
    return found.ok ? found.value : null;
  };
  /** `open`: the server has given it; `wanted`: it was asked for */
  const clientStream = async (session: Session): Promise<"open" | "wanted" | null> => {
    const seen = memory.get(session.id).clientUntil - now();
    if (seen > wantedMs) return "open";
    const until = (await stored(session))?.clientStreamUntil ?? 0;
    if (until - now() <= wantedMs) return until > now() ? "wanted" : null;
    memory.set(session.id, { clientUntil: until, none: false });
    return "open";
  };

  return {
    /** The client asks for its stream. */
    async clientWants({ tenantId, id }: Session): Promise<void> {
      memory.set(id, { clientUntil: 0, none: false });
      await sessions.holdStream(tenantId, id, { clientStreamUntil: now() + wantedMs });
    },
    /** The server has given it, or it is still open. */
    async clientHolds({ tenantId, id }: Session): Promise<void> {
      const clientUntil = now() + leaseMs;
      memory.set(id, { clientUntil, none: false });
      await sessions.holdStream(tenantId, id, { clientStreamUntil: clientUntil });
    },
    async clientReleases({ tenantId, id }: Session): Promise<void> {
      memory.set(id, { clientUntil: 0, none: false });
      await sessions.holdStream(tenantId, id, { clientStreamUntil: 0 });
    },
    /** The server has no such stream, or not for this client. */
    isNotOffered({ id }: Session): void {
      memory.set(id, { clientUntil: 0, none: true });
    },
    async routerHolds({ tenantId, id }: Session): Promise<void> {
      await sessions.holdStream(tenantId, id, { routerStreamUntil: now() + leaseMs });
    },
    async routerReleases({ tenantId, id }: Session): Promise<void> {
      await sessions.holdStream(tenantId, id, { routerStreamUntil: 0 });
    },
    isRouters: async (session: Session): Promise<boolean> =>
      ((await stored(session))?.routerStreamUntil ?? 0) > now(),
    clientHas: async (session: Session): Promise<boolean> => (await clientStream(session)) !== null,

    /** Whether the router has to hold one: the client has none, and a new one had time to open it. */
    async isMissing(session: Session): Promise<boolean> {
      const begun = now();
      const graceUntil = begun + (begun - session.createdAt < youngMs ? graceMs : 0);
      for (;;) {
        if (memory.get(session.id).none) return false;
        const stream = await clientStream(session);
        if (stream === "open") return false;
        if (stream === "wanted" && now() >= begun + patienceMs) return false;
        if (stream === null && now() >= graceUntil) return true;
        await wait(lookMs);
      }
    },
  };
}

export type Streams = ReturnType<typeof createStreams>;
