import type { ProviderFault } from "../attempts.ts";
import type { PassedRequest } from "../passing.ts";
import type { AwsKeys, CloudPlace } from "../models/cloud-place.ts";
import type { FetchedListing } from "../models/listings.ts";
import type { Model } from "../models/model.ts";
import type { ReasoningRequest } from "../models/reasoning.ts";
import type { Result } from "../result.ts";
import type { Block, SamplingCall, StopReason } from "./call.ts";
import type { CallSlot } from "./call-slot.ts";
import type { TakePart } from "./stream-parts.ts";
import type { Usage } from "../usage.ts";

export interface ProviderCredential {
  /** absent: refusals are not remembered */
  id?: string;
  provider: string;
  /** a key, or a cloud's access token */
  apiKey: string;
  baseUrl: string | null;
  /** absent or null: not a cloud's */
  place?: CloudPlace | null;
  /** sign requests to AWS, in place of `apiKey` */
  aws?: AwsKeys;
  /** sent with each request */
  headers?: Readonly<Record<string, string>>;
}

type CredentialPlace = Pick<ProviderCredential, "provider" | "baseUrl" | "place">;

export interface ProviderRequest {
  credential: ProviderCredential;
  model: Model;
  call: SamplingCall;
  passed?: PassedRequest;
  maxTokens: number;
  /** absent: no parameter and no room for reasoning */
  reasoning?: ReasoningRequest;
  /** scope of repeated prompts; absent: no cache marks */
  cacheScope?: { tenantId: string; credentialId: string };
  signal: AbortSignal;
  traceHeaders?: Record<string, string>;
  outside?: CallSlot["outside"];
  onMessage?: (message: string) => void;
}

export interface ProviderAnswer {
  content: Block[];
  stopReason: StopReason;
  providerStopReason: string | null;
  usage: Usage;
  notes: string[];
  /** the unchanged answer; absent: converted, or oversized */
  passed?: string;
  /** a stream that passed unchanged and was too long to keep */
  isOversized?: true;
}

/** Models that rejected reasoning parameters, by credential. */
export interface ReasoningRefusals {
  has(credentialId: string, model: { provider: string; id: string }): boolean;
  add(credentialId: string, model: { provider: string; id: string }): void;
  version(): number;
}

export interface Providers {
  /** Never throws; faults contain no provider text. */
  complete(request: ProviderRequest): Promise<Result<ProviderAnswer, ProviderFault>>;
  countTokens(request: {
    credential: ProviderCredential;
    model: Model;
    passed: PassedRequest;
    signal: AbortSignal;
  }): Promise<string | null>;
  /** Resolves with the whole answer after the provider's own last event; another end is a fault. Never throws. */
  stream(request: ProviderRequest, take: TakePart): Promise<Result<ProviderAnswer, ProviderFault>>;
  /** null: no list. Never throws. */
  listModels(credential: ProviderCredential, signal: AbortSignal): Promise<FetchedListing | null>;
  /** Why a credential can't be used; null: usable. */
  problemWith(credential: CredentialPlace): string | null;
  addressOf(credential: CredentialPlace): { address: string; port: number } | null;
}
