/** What a proxied message of either era needs, over its caller's database alone. */
import type { Sample } from "../pipeline/sampling/sample.ts";
import type { Sessions } from "../pipeline/sampling/sessions.ts";
import type { Upstream } from "../pipeline/servers/upstream.ts";

/**
 * Functions name the members that they use, and pass the object on whole, because its members are created on first read.
 */
export interface ProxyServices {
  sample: Sample;
  sessions: Sessions;
  upstream: Upstream;
  /** Writes one structured log line: ids, reasons and counts; never content. */
  note: (entry: Record<string, unknown>) => void;
  background: (work: Promise<unknown>) => void;
  now: () => number;
  elapsed: () => number;
  sha256Hex: (content: string | Uint8Array<ArrayBuffer>) => Promise<string>;
  /** Logs an unexpected error by the name of what was thrown, never its message. */
  report: (requestId: string, thrown: unknown) => void;
}
