import type { Schemas } from "../api.ts";
import { fromNow, none, usd } from "../format.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Facts } from "../parts/page.tsx";
import { tenantNow } from "../parts/stopped.tsx";
import { ownPath } from "../place.ts";
import type { Shown } from "./edits.ts";

/** The policy may have changed since, and the rule also counts the attempts of failover. */
function costText(cost: number | null = 0): string {
  const limit = tenantNow.value?.policy.approval?.when?.costUsdAbove ?? Infinity;
  if (cost === null) return "no known price";
  if (cost > limit) return `${usd(cost)}, above ${usd(limit)}`;
  return limit === Infinity
    ? "above the rule’s limit"
    : `${usd(cost)} for an attempt, above ${usd(limit)} with failover`;
}

const texts: Readonly<Record<string, string>> = {
  models: "model matches",
  servers: "server matches",
  tools: "tool matches",
  modalities: "modality matches",
};

/** @param cost the highest, in USD */
export const conditionsText = (conditions: readonly string[], cost?: number | null): string =>
  conditions
    .map((each) => (each === "costUsdAbove" ? costText(cost) : (texts[each] ?? each)))
    .join(", ") || "the rule covers every call";

export function HeldCall({ held }: { held: Schemas["Approval"] }) {
  const { keyId, conditions, deadline, onTimeout, stage, state, names, requestId } = held;
  const shown = held.content as Shown | null;
  const { who, server, model, estimate, reservedUsd, costUsd, call, content } = shown ?? {};
  const person = names[who?.user ?? ""];
  const isResult = stage === "result";
  const cost = isResult ? costUsd : reservedUsd;
  const expected = isResult ? null : `, expected: ${usd(estimate?.costUsd)}`;
  return (
    <>
      <Facts
        of={[
          ["Model", model ?? none],
          [isResult ? "Cost, paid" : "Highest cost", [<strong>{usd(cost)}</strong>, expected]],
          ["Why it needs approval", conditionsText(conditions, cost)],
          person !== undefined && ["Person", person],
          ["Asked by key", [names[keyId] ?? "", " ", <code class="faint">{keyId}</code>]],
          ["Server", server ?? "none (direct call)"],
          ["Tool", who?.tool ?? none],
          ["Client", [who?.clientName, who?.clientVersion].join(" ").trim() || none],
          state === "waiting" && [
            "If undecided",
            `${onTimeout === "deny" ? "denied" : "approved"} ${fromNow(deadline)}`,
          ],
          [
            "Request",
            <a href={ownPath(`/requests/${requestId}`)}>
              <code>{requestId}</code>
            </a>,
          ],
        ]}
      />
      {shown === null ? (
        <p class="faint">The request is no longer stored.</p>
      ) : (
        <details>
          <summary>{isResult ? "Full result" : "Full request"}</summary>
          <CodeBlock title="As JSON" text={JSON.stringify(call ?? content, null, 2)} />
        </details>
      )}
    </>
  );
}
