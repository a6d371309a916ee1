import type { Schemas } from "../api.ts";
import { fromNow, none, usd } from "../format.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { conditionsText } from "./conditions.ts";

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
const usdOf = (value: unknown): string => usd(typeof value === "number" ? value : null);

function Money({ held: { content, stage } }: { held: Schemas["Approval"] }) {
  if (stage === "result")
    return (
      <>
        <dt>Cost, paid</dt>
        <dd>{usdOf(content?.["costUsd"])}</dd>
      </>
    );
  return (
    <>
      <dt>Expected cost</dt>
      <dd>{usdOf(memberOf(content?.["estimate"], "costUsd"))}</dd>
      <dt>Maximum cost</dt>
      <dd>{usdOf(content?.["reservedUsd"])}</dd>
    </>
  );
}

export function Held({ held }: { held: Schemas["Approval"] }) {
  const { content, keyId, conditions, deadline, onTimeout, stage } = held;
  const who = content?.["who"];
  const client = [textOf(memberOf(who, "clientName")), textOf(memberOf(who, "clientVersion"))];
  return (
    <>
      <dl class="facts">
        <dt>Asked by key</dt>
        <dd>
          {held.names[keyId] ?? ""} <code class="faint">{keyId}</code>
        </dd>
        <dt>Server</dt>
        <dd>{textOf(content?.["server"]) || "none (direct call)"}</dd>
        <dt>Tool</dt>
        <dd>{textOf(memberOf(who, "tool")) || none}</dd>
        <dt>Client</dt>
        <dd>{client.join(" ").trim() || none}</dd>
        <dt>Held because</dt>
        <dd>{conditionsText(conditions)}</dd>
        <dt>Model</dt>
        <dd>{textOf(content?.["model"]) || none}</dd>
        <Money held={held} />
        <dt>If undecided</dt>
        <dd>
          {onTimeout === "deny" ? "denied" : "approved"} {fromNow(deadline)}
        </dd>
      </dl>
      {content === null ? (
        <p class="faint">The request is no longer stored.</p>
      ) : (
        <details>
          <summary>{stage === "request" ? "Full request" : "Full result"}</summary>
          <CodeBlock
            title="As JSON"
            text={JSON.stringify(content[stage === "request" ? "call" : "content"], null, 2)}
          />
        </details>
      )}
    </>
  );
}
