/**
 * The pipeline, as one proxied message needs it, whatever its era: over the caller's database,
 * and no other. Functions name the members that they use; the object itself is passed on whole, since its members
 * are made when they are first read.
 */
import type { Sample } from "../pipeline/sampling/sample.ts";
import type { Sessions } from "../pipeline/sampling/sessions.ts";
import type { Upstream } from "../pipeline/servers/upstream.ts";

/** What a message of either era needs. */
export interface ProxyServices {
  sample: Sample;
  sessions: Sessions;
  upstream: Upstream;
  /** Writes one structured line: ids, reasons and counts; never content. */
  note: (entry: Record<string, unknown>) => void;
  /** Work that outlives the caller. */
  background: (work: Promise<unknown>) => void;
  now: () => number;
  /** ms, for durations: never set back */
  elapsed: () => number;
  sha256Hex: (content: string | Uint8Array<ArrayBuffer>) => Promise<string>;
  /** Writes one structured line for what nobody expected: the name of what was thrown, never its message. */
  report: (requestId: string, thrown: unknown) => void;
}
