import { isNamedIn } from "../../domain/models/allowed.ts";
import type { Schemas } from "../api.ts";
import { usd } from "../format.ts";
import type { Names } from "../parts/named.tsx";
import { tenantNow } from "../parts/stopped.tsx";
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

export function modelIn(name: string): { provider: string; id: string } {
  const [provider = "", ...id] = name.split("/");
  return { provider, id: id.join("/") };
}

type Held = {
  conditions: readonly string[];
  model?: string | null | undefined;
  maxCostUsd?: number | null | undefined;
};

/** The policy may have changed since. */
export function conditionsText({ conditions, model, maxCostUsd: cost = Infinity }: Held): string {
  const { costUsdAbove: limit, models = [] } = tenantNow.value?.policy.approval?.when ?? {};
  const named = models.filter((each) => isNamedIn([each], modelIn(model ?? ""))).join(" and ");
  const text = (name: string): string => {
    // `modalities` → `modality matches`
    const matches = `${name.replace(/ies$/, "y").replace(/s$/, "")} matches`;
    if (name !== "costUsdAbove") return name === "models" ? `${matches} ${named}`.trim() : matches;
    if (cost === null) return "no known price";
    const above = `may cost more than ${limit === undefined ? "the rule allows" : usd(limit)}`;
    // The rule counts them too, although an approved call uses no other model.
    return cost > (limit ?? 0) ? above : `${above} with failover to other models`;
  };
  return conditions.map(text).join(", ") || "the rule covers every call";
}
