/**
 * What the streams of this isolate listen to at modern servers. A legacy client subscribes with requests of their own, which
 * change what its stream has to ask the server for.
 */

import { createBoundedMap } from "../../domain/bounded-map.ts";

/** Counts changes of a session's subscriptions, and the last of them that its stream follows. */
interface Listener {
  changes: number;
  followed: number;
}
export const createListenerMemory = (capacity: number) =>
  createBoundedMap<string, Listener>(capacity);
export type ListenerMemory = ReturnType<typeof createListenerMemory>;

const lookMs = 25;
/** ms that a subscription waits for the server, so that no update is missed after it */
const patienceMs = 2_000;

export function createListeners(deps: {
  memory: ListenerMemory;
  elapsed: () => number;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}) {
  const { memory, elapsed, wait } = deps;
  return {
    begin(sessionId: string) {
      const listener: Listener = { changes: 0, followed: 0 };
      memory.set(sessionId, listener);
      return {
        changes: () => listener.changes,
        follow: (changes: number) => void (listener.followed = changes),
        /** false: a newer stream of the same session listens */
        isCurrent: () => memory.get(sessionId) === listener,
        end(): void {
          if (memory.get(sessionId) === listener) memory.delete(sessionId);
        },
      };
    },
    /** Tells the session's stream of a change that is stored, and waits until it follows. */
    async changed(sessionId: string, left: AbortSignal): Promise<void> {
      const listener = memory.get(sessionId);
      if (listener === undefined) return;
      listener.changes += 1;
      const { changes } = listener;
      const until = elapsed() + patienceMs;
      while (listener.followed < changes && elapsed() < until && !left.aborted)
        await wait(lookMs, left);
    },
  };
}

export type Listeners = ReturnType<typeof createListeners>;
