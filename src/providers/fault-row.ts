/** A row of the tables that say what a provider's error means. */
import type { FaultCode, ProviderFault } from "../domain/attempts.ts";

export type Meaning = Pick<ProviderFault, "kind" | "reach" | "retryable">;

export interface Row extends Meaning {
  /** providers by name; absent: every provider */
  providers?: readonly string[];
  status: number | { from: number; to: number };
  /** error codes and types in lower case, one of which the body has; absent: every body fits */
  names?: readonly string[];
  /** a part of the message, in lower case */
  says?: string | RegExp;
  /** the body holds the asked model's id */
  namesModel?: true;
  code?: FaultCode;
  /** documentation page, or the thread that shows the body */
  source: string;
  billed: ProviderFault["billed"];
  /** the page that says whether the provider charges for such an answer */
  billedBy: string;
}

type Shared = Pick<Row, "providers" | "billed" | "billedBy">;

/** Rows of the same providers, which charge for none of these answers unless a row says otherwise. */
export const rowsOf = (
  shared: Shared,
  rows: readonly (Omit<Row, keyof Shared> & Partial<Shared>)[],
): Row[] => rows.map((row) => ({ ...shared, ...row }));

/** OpenRouter documents that a failed answer is free. No other provider documents a charge for one, unless a row says so. */
const byUsage = "https://openrouter.ai/docs/features/zero-completion-insurance";

export const free = {
  openai: { billed: "no", billedBy: "https://platform.openai.com/docs/pricing" },
  anthropic: { billed: "no", billedBy: "https://platform.claude.com/docs/en/api/messages" },
  google: { billed: "no", billedBy: "https://ai.google.dev/gemini-api/docs/billing" },
  others: { billed: "no", billedBy: byUsage },
} as const satisfies Record<string, Shared>;

/** Azure charges for prompts that a filter or the input limit refuses. */
export const azureBilling = {
  billed: "maybe",
  billedBy: "https://learn.microsoft.com/azure/ai-services/openai/how-to/manage-costs",
} as const;

/** The provider is healthy and refuses this request, so another wire is asked. */
export const refusedRequest = {
  kind: "invalid_request",
  reach: "request",
  retryable: true,
} as const;
