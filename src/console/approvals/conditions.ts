const texts: Readonly<Record<string, string>> = {
  costUsdAbove: "maximum cost exceeds the rule’s limit",
  models: "model matches",
  servers: "server matches",
  tools: "tool matches",
  modalities: "modality matches",
};

/** of a call until its approval is decided, on every page */
export const pendingWord = "pending approval";

export const conditionsText = (conditions: readonly string[]): string =>
  conditions.map((each) => texts[each] ?? each).join(", ") || "the rule covers every call";
