export interface OpenRequest {
  method: string;
  /** without its query, which may contain a secret */
  path: string;
  /** the audit record's id, once known */
  requestId: string | null;
  /** ms, monotonic */
  since: number;
}

export interface OpenReport {
  requests: { method: string; path: string; requestId: string | null; ms: number }[];
  more: number;
  background: number;
}

const maxListed = 200;

export interface OpenWork {
  begin(request: Omit<OpenRequest, "requestId" | "since">): {
    is(requestId: string): void;
    ends(): void;
  };
  background(work: Promise<unknown>): void;
  /** Resolves when no call and no background work is left. GET streams don't count. */
  callsEnded(): Promise<void>;
  report(): OpenReport;
}

export function createOpenWork(elapsed: () => number): OpenWork {
  const requests = new Set<OpenRequest>();
  const running = new Set<Promise<unknown>>();
  let waiting: PromiseWithResolvers<void>[] = [];
  const isIdle = (): boolean =>
    running.size === 0 && [...requests].every(({ method }) => method === "GET");
  const look = (): void => {
    if (waiting.length === 0 || !isIdle()) return;
    for (const { resolve } of waiting) resolve();
    waiting = [];
  };
  return {
    begin(received) {
      const request: OpenRequest = { ...received, requestId: null, since: elapsed() };
      requests.add(request);
      return {
        is: (requestId) => void (request.requestId = requestId),
        ends() {
          requests.delete(request);
          look();
        },
      };
    },
    background(work) {
      running.add(work);
      const ended = (): void => {
        running.delete(work);
        look();
      };
      work.then(ended, ended);
    },
    callsEnded() {
      const waiter = Promise.withResolvers<void>();
      waiting.push(waiter);
      look();
      return waiter.promise;
    },
    report() {
      const now = elapsed();
      const named = [...requests].slice(0, maxListed);
      return {
        requests: named.map(({ since, ...request }) => ({ ...request, ms: now - since })),
        more: requests.size - named.length,
        background: running.size,
      };
    },
  };
}
