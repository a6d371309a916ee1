/** What a sent call waits for, and its answer. */
import { useEffect, useState } from "preact/hooks";
import { count, duration, none, usd } from "../format.ts";
import { useRead, useRepeated, valueIn } from "../load.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Field, Form } from "../parts/form.tsx";
import { Card, Facts } from "../parts/page.tsx";
import { ownPath, routerUrl } from "../place.ts";
import { caller, sendAt, type Answer, type SamplingParams } from "./caller.ts";
import { curlOf } from "./wire-request.ts";
import { requestIn, wires, type Wire } from "./wires.ts";

export function Pending() {
  const keyId = caller.value?.keyId;
  const loading = useRead("/admin/v1/tenants/{tenant}/approvals", { state: "waiting" });
  useRepeated(2_000, loading.again);
  const own = valueIn(loading)?.data.find((each) => each.keyId === keyId);
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
  const decision = _meta?.["sampling-router/decision"];
  const { requestId = "", costUsd, usage, timingMs = {} } = decision ?? {};
  const total = Object.values(timingMs).reduce((sum, ms) => sum + ms, 0);
  // Phones have it below the form.
  useEffect(() => document.getElementById("answer")?.focus(), [answer]);
  return (
    <Card title={model ?? "Answer"} isStack aria-label="Answer" id="answer" tabIndex={-1}>
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
    </Card>
  );
}

export function WireRequests({ params }: { params: SamplingParams }) {
  const [{ wire, answer }, set] = useState<{ wire: Wire; answer?: unknown }>({
    wire: "Chat Completions",
  });
  const request = requestIn(wire, params);
  return (
    <details class="card">
      <summary>Same request for an OpenAI or Anthropic SDK</summary>
      <div class="stack">
        <Form
          submit={`Send to ${request.path}`}
          act={() => sendAt(request)}
          onDone={(received) => set({ wire, answer: received })}
        >
          <Field
            title="API"
            name="wire"
            value={wire}
            options={wires.map((each) => [each, each] as const)}
            onInput={(picked) => set({ wire: picked })}
          />
        </Form>
        <CodeBlock title="Request" text={curlOf(request, { url: routerUrl })} />
        {answer !== undefined && (
          <CodeBlock title="Answer" text={JSON.stringify(answer, null, 2)} />
        )}
      </div>
    </details>
  );
}
