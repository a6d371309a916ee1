import type { Schemas } from "../api.ts";

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
