import type { Authenticate } from "../pipeline/callers/authenticate.ts";
import type { Cancellation } from "../pipeline/sampling/request/cancel.ts";
import type { Sample } from "../pipeline/sampling/sample.ts";
import type { Sessions } from "../pipeline/sampling/sessions.ts";
import type { Door } from "../pipeline/sampling/turns.ts";
import type { ServedModels } from "../pipeline/sampling/choice/served-models.ts";
import type { LargeBodyServices } from "../proxy/large-bodies.ts";

/** What `sampling/createMessage` needs. */
export interface CreateMessageServices {
  sample: Sample;
  sha256Hex: (content: string | Uint8Array<ArrayBuffer>) => Promise<string>;
  report: (requestId: string, thrown: unknown) => void;
  /** ms, for durations: never set back */
  elapsed: () => number;
}

/** What a message of the modern era needs, which has no session. */
export interface ModernMessageServices extends CreateMessageServices {
  authenticate: Authenticate;
  sessions: Pick<Sessions, "capabilitiesFor">;
}

/** What a message of the legacy era needs besides: its session. */
export interface LegacyMessageServices extends ModernMessageServices {
  sessions: Pick<Sessions, "capabilitiesFor" | "begin" | "touch">;
  cancellation: Pick<Cancellation, "cancel">;
}

/** What `/v1/sampling` needs. */
export interface SamplingServices extends LegacyMessageServices, LargeBodyServices {
  sessions: Pick<Sessions, "capabilitiesFor" | "begin" | "touch" | "end">;
  /** how calls are let in, tenants in turn */
  door: Door;
  now: () => number;
}

/** What the model endpoints need. */
export interface ModelServices extends CreateMessageServices, LargeBodyServices {
  servedModels: ServedModels;
  door: Door;
  now: () => number;
}
