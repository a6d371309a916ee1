/**
 * Lifetime of a composition: the process on Node; on Workers the isolate if it holds no I/O, otherwise one
 * invocation. Nothing else depends on this.
 */
export interface Lifetime {
  /** continues after the response */
  background: (work: Promise<unknown>) => void;
  /** not awaited at shutdown, since the next process would repeat it */
  upkeep: (work: Promise<unknown>) => void;
  onRoundTrip?: () => void;
  /** origin of the requests, if any */
  origin?: string;
}
