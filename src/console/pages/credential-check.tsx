import { networkMessage } from "../../domain/network-fault.ts";
import { api, type Schemas } from "../api.ts";
import { spaced } from "../format.ts";
import { healthOf, recentUse } from "../parts/health.tsx";
import { ProblemNotice } from "../parts/page.tsx";
import type { Asked } from "../problem.ts";
import { faultAdvice } from "../requests/cause.ts";

type Check = Schemas["CredentialCheck"];
type Credential = Schemas["Credential"];

type Answers = readonly { group: string; lastUsedAt: number }[];

/** @param answers by model. Which of a provider's several credentials answered is unknown. */
export const credentialHealth =
  (all: readonly Credential[], answers: Answers) =>
  ({ provider, status, lastCheck: check }: Credential) => {
    const isOnly = all.filter((each) => each.provider === provider).length === 1;
    const used = answers.filter(({ group }) => isOnly && group.startsWith(`${provider}/`));
    const usedAt = recentUse(Math.max(0, ...used.map(({ lastUsedAt }) => lastUsedAt)));
    const state = status === "failing" ? "key rejected" : healthOf({ check, usedAt });
    return { state, check, usedAt };
  };

export const checkCredential = (id: string): Promise<Asked<Check>> =>
  api.POST("/admin/v1/tenants/{tenant}/credentials/{id}/check", { id });

export function faultText({ kind, status, code, network }: NonNullable<Check["fault"]>): string {
  if (network !== undefined) return networkMessage(network);
  return `${spaced(code ?? kind)}${status === null ? "" : ` (HTTP ${status})`}`;
}

export function CheckResult({ name, found }: { name: string; found: Asked<Check> }) {
  if (!found.ok) return <ProblemNotice problem={found.problem} />;
  const { ok, model, fault, listed, proposed, host } = found.value;
  return (
    <div class={`notice ${ok ? "good" : "bad"}`} role="status">
      <strong>
        {ok ? `${name} works: ${model ?? "a model"} answered.` : `${name} does not work.`}
      </strong>
      {[
        fault && `Error: ${faultText(fault)}. ${faultAdvice(fault.code ?? fault.kind) ?? ""}`,
        proposed.length > 0 &&
          `To use the catalogue’s figures, set the models to ${JSON.stringify(proposed)}`,
        host && `This is a known server. Add it as the provider ${host}.`,
        listed &&
          `The provider lists ${listed.length === 1 ? "one model" : `${listed.length} models`} for this key.`,
      ].map((text) => text && <p key={text}>{text}</p>)}
    </div>
  );
}
