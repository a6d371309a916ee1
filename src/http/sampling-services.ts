import type { Authenticate } from "../pipeline/callers/authenticate.ts";
import type { Cancellation } from "../pipeline/sampling/request/cancel.ts";
import type { Sample } from "../pipeline/sampling/sample.ts";
import type { Sessions } from "../pipeline/sampling/sessions.ts";
import type { CallScheduler } from "../pipeline/sampling/scheduling.ts";
import type { Pins } from "../domain/sampling/pins.ts";
import type { CountTokens } from "../pipeline/sampling/choice/count-tokens.ts";
import type { ServedModels } from "../pipeline/sampling/choice/served-models.ts";
import type { LargeBodyServices } from "../pipeline/callers/body-allowance.ts";

export interface CreateMessageServices {
  sample: Sample;
  sha256Hex: (content: string | Uint8Array<ArrayBuffer>) => Promise<string>;
  report: (requestId: string, thrown: unknown) => void;
  elapsed: () => number;
}

export interface ModernMessageServices extends CreateMessageServices {
  authenticate: Authenticate;
  sessions: Pick<Sessions, "capabilitiesFor">;
}

export interface LegacyMessageServices extends ModernMessageServices {
  sessions: Pick<Sessions, "capabilitiesFor" | "begin" | "touch">;
  cancellation: Pick<Cancellation, "cancel">;
}

export interface SamplingServices extends LegacyMessageServices, LargeBodyServices {
  sessions: Pick<Sessions, "capabilitiesFor" | "begin" | "touch" | "end">;
  callScheduler: CallScheduler;
  now: () => number;
}

export interface ModelServices extends CreateMessageServices, LargeBodyServices {
  servedModels: ServedModels;
  countTokens: CountTokens;
  pins: Pick<Pins, "of">;
  callScheduler: CallScheduler;
  now: () => number;
}
