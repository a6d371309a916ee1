/**
 * How long a composition lives, and what its host gives it for that time. In a Node process that is the process. In the
 * Workers runtime it is the isolate where the composition holds no I/O, and else one invocation, since no invocation may
 * touch another's I/O. Nothing else in the composition knows which of them it is.
 */
export interface Lifetime {
  /** keeps work alive after the response */
  background: (work: Promise<unknown>) => void;
  /** the same, for what the next process would do too: a host that ends need not wait for it */
  upkeep: (work: Promise<unknown>) => void;
  onRoundTrip?: () => void;
  /** where the requests arrived that are served; absent: none did */
  origin?: string;
}
