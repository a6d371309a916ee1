/** Why a call needs approval: the matching conditions of the rule. */
const conditions: Readonly<Record<string, string>> = {
  costUsdAbove: "its cost may be above the rule’s",
  models: "the rule names the model",
  servers: "the rule names the server",
  tools: "the rule names the tool",
  modalities: "the rule names its modality",
};

export const whyHeld = (why: readonly string[]): string =>
  why.map((each) => conditions[each] ?? each).join(", ") || "the rule is for every call";
