/** What a sent call waits for, and its answer. */
import { count, duration, none, usd } from "../format.ts";
import { useRead, useRepeated } from "../load.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Facts } from "../parts/page.tsx";
import { ownPath } from "../place.ts";
import { caller, type Answer } from "./caller.ts";

const pollMs = 2_000;

export function Pending() {
  const keyId = caller.value?.keyId;
  const { loaded, again } = useRead("/admin/v1/tenants/{tenant}/approvals", { state: "waiting" });
  useRepeated(pollMs, again);
  const waiting = loaded.state === "there" ? loaded.value.data : [];
  const own = waiting.find((each) => each.keyId === keyId);
  const open = own === undefined ? "" : `?open=${encodeURIComponent(own.requestId)}`;
  return (
    <p class={`notice ${own === undefined ? "" : "warn"}`} role="status">
      {own === undefined ? "Waiting for the answer…" : "The call is pending approval."}{" "}
      {(own !== undefined || keyId === undefined) && (
        <a href={`${ownPath("/approvals")}${open}`} target="_blank">
          {own === undefined ? "Pending approvals" : "Approve or deny"}
        </a>
      )}
    </p>
  );
}

const stopTexts: Readonly<Record<string, string>> = {
  endTurn: "the answer is complete",
  maxTokens: "the maximum of tokens was reached: the answer is cut off",
  stopSequence: "a stop sequence",
  toolUse: "the model calls a tool",
};

function textIn(content: unknown): string {
  const blocks = (Array.isArray(content) ? content : [content]) as { text?: string }[];
  return blocks.map((block) => block.text ?? JSON.stringify(block, null, 2)).join("\n");
}

export function Answered({ answer }: { answer: Answer }) {
  const { model, stopReason = "", content, _meta } = answer;
  const {
    requestId = "",
    costUsd,
    usage,
    timingMs = {},
  } = _meta?.["sampling-router/decision"] ?? {};
  const total = Object.values(timingMs).reduce((sum, ms) => sum + ms, 0);
  return (
    <section class="card stack" aria-label="Answer">
      <h2>{model ?? "Answer"}</h2>
      <CodeBlock title="Answer" text={textIn(content)} />
      <Facts
        of={[
          ["Stopped because", stopTexts[stopReason] ?? (stopReason || none)],
          ["Tokens", `${count(usage?.inputTokens)} in, ${count(usage?.outputTokens)} out`],
          ["Time", `${duration(total)}, ${duration(timingMs["provider"])} of it at the provider`],
          ["Cost", usd(costUsd)],
        ]}
      />
      <a href={`${ownPath("/requests")}?open=${encodeURIComponent(requestId)}`}>View record</a>
    </section>
  );
}
