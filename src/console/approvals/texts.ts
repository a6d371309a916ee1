import type { Schemas } from "../api.ts";
import { usd } from "../format.ts";
import type { Names } from "../parts/named.tsx";
import { pendingWord } from "../requests/cause.ts";

type Call = Schemas["ListedApproval"];

export const badges: Readonly<Record<Call["state"] | "all", { word: string; tone?: string }>> = {
  waiting: { word: pendingWord },
  approved: { word: "approved", tone: "good" },
  started: { word: "approved, ran", tone: "good" },
  denied: { word: "denied", tone: "bad" },
  expired: { word: "expired" },
  withdrawn: { word: "withdrawn by the caller" },
  all: { word: "all" },
};
/** An approved call expires if its caller doesn’t return. */
export const badgeOf = ({ state, decidedBy: by }: Pick<Call, "state" | "decidedBy">) =>
  state === "expired" && by && by !== "timeout"
    ? { word: "approved, not collected" }
    : badges[state];
export const deciderOf = ({ decidedBy: by }: Pick<Call, "decidedBy">, names: Names) =>
  by && (names[by] ?? by.replace("person:", ""));

type Held = { conditions: Call["conditions"]; maxCostUsd?: number | null | undefined };

export function conditionsText({ conditions, maxCostUsd }: Held): string {
  const texts = conditions.map(({ name, matches = [], limitUsd, costUsd = null }) => {
    // `modalities` → `modality matches`
    if (name !== "costUsdAbove")
      return `${name.replace(/ies$/, "y").replace(/s$/, "")} matches ${matches.join(" and ")}`;
    if (costUsd === null) return "no known price";
    // The rule counts it, although an approved call uses no other model.
    const failover = costUsd > (maxCostUsd ?? Infinity) ? " with failover to other models" : "";
    return `may cost ${usd(costUsd)}${failover}, the rule allows ${usd(limitUsd)}`;
  });
  return texts.join(", ") || "the rule covers every call";
}
