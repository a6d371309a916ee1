/** How models reason, and how much: what the catalogue knows of it. */
/** Least first. `none`: the model answers without reasoning. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof efforts)[number];

export interface ReasoningControl {
  /** that the model takes, least first */
  efforts: Effort[];
  /** what the provider does when nothing is sent */
  byDefault: Effort;
  /** where that was read */
  source: string;
}

/** Whether the model reasons whatever is asked of it, so that room for it is needed. */
export const alwaysReasons = ({
  reasoning,
  reasoningControl,
}: {
  reasoning: boolean;
  reasoningControl?: ReasoningControl | undefined;
}): boolean => reasoning && reasoningControl?.efforts[0] !== "none";
