import type { FaultCode, ProviderFault } from "../domain/attempts.ts";

export type Meaning = Pick<ProviderFault, "kind" | "reach" | "retryable">;

export interface Row extends Meaning {
  /** absent for all */
  providers?: readonly string[];
  status: number | { from: number; to: number };
  /** lower-case codes or types; absent for any body */
  names?: readonly string[];
  /** part of the message, in lower case */
  says?: string | RegExp;
  /** the body contains the model's id */
  namesModel?: true;
  code?: FaultCode;
  /** documentation, or a thread that shows the body */
  source: string;
  billed: ProviderFault["billed"];
  /** page on whether such answers are charged */
  billedBy: string;
}

type Shared = Pick<Row, "providers" | "billed" | "billedBy">;

/** Rows that are free of charge unless they say otherwise. */
export const rowsOf = (
  shared: Shared,
  rows: readonly (Omit<Row, keyof Shared> & Partial<Shared>)[],
): Row[] => rows.map((row) => ({ ...shared, ...row }));

/** Only OpenRouter documents this; no other provider documents a charge for errors. */
const byUsage = "https://openrouter.ai/docs/features/zero-completion-insurance";

export const free = {
  openai: { billed: "no", billedBy: "https://platform.openai.com/docs/pricing" },
  anthropic: { billed: "no", billedBy: "https://platform.claude.com/docs/en/api/messages" },
  google: { billed: "no", billedBy: "https://ai.google.dev/gemini-api/docs/billing" },
  others: { billed: "no", billedBy: byUsage },
} as const satisfies Record<string, Shared>;

/** Azure charges for filtered or oversized prompts. */
export const azureBilling = {
  billed: "maybe",
  billedBy: "https://learn.microsoft.com/azure/ai-services/openai/how-to/manage-costs",
} as const;

/** The provider is healthy; another wire is tried. */
export const refusedRequest = {
  kind: "invalid_request",
  reach: "request",
  retryable: true,
} as const;
