import type { Opening } from "../../../domain/audit/record.ts";
import type { Providers } from "../../../domain/sampling/providers.ts";
import {
  lineOf,
  spansOf,
  type StartedSpan,
  type Ended,
  type FinishedRequest,
  type Timings,
} from "../../../domain/audit/spans.ts";
import type { Decision } from "../../../domain/choice/decision.ts";
import type { Propagated, Traces } from "../../../domain/audit/trace.ts";

export interface Observation {
  /** The last call counts. */
  chose(decision: Decision): void;
  begins(credential: { provider: string; baseUrl: string | null }): Record<string, string>;
  /** Called once per request; never blocks. */
  ends(ended: Omit<Ended, "endedAt">): Timings;
}

export type Observe = (
  started: { opening: Opening; authMs: number },
  propagated: Propagated,
) => Observation;

export const createObserve =
  (deps: {
    traces: Traces;
    providers: Pick<Providers, "addressOf">;
    now: () => number;
    log: (entry: Record<string, unknown>) => void;
    /** absent if metrics are disabled */
    measure?: (finished: FinishedRequest) => void;
  }): Observe =>
  ({ opening, authMs }, propagated) => {
    const { traces, providers, now, log } = deps;
    const trace = traces.join(propagated);
    const startedSpans: StartedSpan[] = [];
    let decision: Decision | null = null;
    return {
      chose(made) {
        decision = made;
      },
      begins(credential) {
        const { spanId, headers } = trace.child();
        if (trace.recorded !== null)
          startedSpans.push({ spanId, startedAt: now(), server: providers.addressOf(credential) });
        return headers;
      },
      ends(how) {
        const timing = { auth: authMs, ...how.timing };
        const finished = {
          opening,
          decision,
          ended: { ...how, timing, endedAt: Math.max(opening.createdAt, now()) },
        };
        log(lineOf(finished, trace.traceId));
        deps.measure?.(finished);
        const { recorded } = trace;
        trace.end(() => (recorded === null ? [] : spansOf(finished, recorded, startedSpans)));
        return timing;
      },
    };
  };
