/** The port to providers. */
import type { ProviderFault } from "../attempts.ts";
import type { ReadListing } from "../models/listings.ts";
import type { Model } from "../models/model.ts";
import type { ReasoningRequest } from "../models/reasoning.ts";
import type { Result } from "../result.ts";
import type { Block, SamplingCall, StopReason } from "./call.ts";
import type { CallTurn } from "./call-turn.ts";
import type { Usage } from "../usage.ts";

export interface ProviderRequest {
  /** absent: what the credential's models refuse is not remembered */
  credential: { id?: string; provider: string; apiKey: string; baseUrl: string | null };
  model: Model;
  call: SamplingCall;
  /** tokens of visible text, after every limit */
  maxTokens: number;
  /** absent: nothing is said about reasoning, and reasoning gets no room */
  reasoning?: ReasoningRequest;
  /** whose prompts count as repetitions of one another; absent: nothing is marked for a cache */
  cacheScope?: { tenantId: string; credentialId: string };
  signal: AbortSignal;
  /** W3C Trace Context for the HTTP request; absent: nobody traces it */
  traceHeaders?: Record<string, string>;
  /** Waits for the provider's answer out of turn; absent: nobody else waits for a turn. */
  outside?: CallTurn["outside"];
  /** Takes the provider's message about a failure, masked and short; absent: nobody keeps it. */
  onMessage?: (message: string) => void;
}

export interface ProviderAnswer {
  content: Block[];
  stopReason: StopReason;
  providerStopReason: string | null;
  usage: Usage;
  /** parameters that this model doesn't take and that were left out */
  notes: string[];
}

/** Models that refused a parameter about reasoning, by credential. */
export interface ReasoningRefusals {
  has(credentialId: string, model: { provider: string; id: string }): boolean;
  add(credentialId: string, model: { provider: string; id: string }): void;
  /** rises with each model that is added */
  version(): number;
}

export interface Providers {
  /** Never throws: whatever the library throws comes back as a fault, without text of the provider's. */
  complete(request: ProviderRequest): Promise<Result<ProviderAnswer, ProviderFault>>;
  /** What the provider itself lists for the key; null: it gives no list. Never throws. */
  listModels(
    credential: ProviderRequest["credential"],
    signal: AbortSignal,
  ): Promise<ReadListing | null>;
  /** null: a credential for this provider can be used as it is; else what is wrong with it. */
  problemWith(credential: { provider: string; baseUrl: string | null }): string | null;
  /** Where the provider is reached: host and port, nothing else of its URL; null: not over HTTP. */
  addressOf(credential: {
    provider: string;
    baseUrl: string | null;
  }): { address: string; port: number } | null;
}
