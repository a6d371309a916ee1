const conditions: Readonly<Record<string, string>> = {
  costUsdAbove: "maximum cost exceeds the rule’s limit",
  models: "model matches",
  servers: "server matches",
  tools: "tool matches",
  modalities: "modality matches",
};

export const whyHeld = (why: readonly string[]): string =>
  why.map((each) => conditions[each] ?? each).join(", ") || "the rule covers every call";
