import type { Schemas } from "../api.ts";
import { fromNow, none, usd } from "../format.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Facts, type Fact } from "../parts/facts.tsx";
import { conditionsText } from "./conditions.ts";

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
const usdOf = (value: unknown): string => usd(typeof value === "number" ? value : null);

const money = ({ content, stage }: Schemas["Approval"]): Fact[] =>
  stage === "result"
    ? [["Cost, paid", usdOf(content?.["costUsd"])]]
    : [
        ["Expected cost", usdOf(memberOf(content?.["estimate"], "costUsd"))],
        ["Maximum cost", usdOf(content?.["reservedUsd"])],
      ];

export function Held({ held }: { held: Schemas["Approval"] }) {
  const { content, keyId, conditions, deadline, onTimeout, stage } = held;
  const who = content?.["who"];
  const client = [textOf(memberOf(who, "clientName")), textOf(memberOf(who, "clientVersion"))];
  return (
    <>
      <Facts
        of={[
          [
            "Asked by key",
            <>
              {held.names[keyId] ?? ""} <code class="faint">{keyId}</code>
            </>,
          ],
          ["Server", textOf(content?.["server"]) || "none (direct call)"],
          ["Tool", textOf(memberOf(who, "tool")) || none],
          ["Client", client.join(" ").trim() || none],
          ["Why it needs approval", conditionsText(conditions)],
          ["Model", textOf(content?.["model"]) || none],
          ...money(held),
          ["If undecided", `${onTimeout === "deny" ? "denied" : "approved"} ${fromNow(deadline)}`],
        ]}
      />
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
