/** Sends an answer to the server that asked: one POST, repeated while the server can't take it. */
import type { Upstream, Sending } from "../../pipeline/servers/upstream.ts";

const tries = 3;
const waitMs = 500;
const timeoutMs = 15_000;

export function createDeliver(deps: { upstream: Upstream; wait: (ms: number) => Promise<void> }) {
  const { upstream, wait } = deps;
  /** The HTTP status with which the server took the answer; 0: the server could not be reached. */
  return async (
    answer: Pick<Sending, "server" | "caller" | "headers" | "authorization" | "body">,
  ) => {
    // Nobody ends it. A signal that all answers shared would keep a listener of each.
    const { signal } = new AbortController();
    for (let count = 1; ; count += 1) {
      const sent = await upstream({ ...answer, method: "POST", signal, timeoutMs });
      // A body that stays open would hold one of the invocation's few connections.
      if (sent.ok) await sent.value.body?.cancel();
      const status = sent.ok ? sent.value.status : 0;
      if ((status > 0 && status < 500) || count === tries) return status;
      await wait(waitMs * count);
    }
  };
}

export type Deliver = ReturnType<typeof createDeliver>;
