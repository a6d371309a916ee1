import type { Schemas } from "../api.ts";

const texts: Readonly<Record<string, string>> = {
  costUsdAbove: "cost above the rule’s limit",
  models: "model matches",
  servers: "server matches",
  tools: "tool matches",
  modalities: "modality matches",
};

export const conditionsText = (conditions: readonly string[]): string =>
  conditions.map((each) => texts[each] ?? each).join(", ") || "the rule covers every call";

/** of a call until its approval is decided, on every page */
export const pendingWord = "pending approval";

export const stateWords: Readonly<Record<Schemas["ListedApproval"]["state"], string>> = {
  waiting: pendingWord,
  approved: "approved",
  started: "approved, ran",
  denied: "denied",
  expired: "expired",
  withdrawn: "withdrawn by the caller",
};
