import { useState } from "preact/hooks";
import { CodeBlock } from "../parts/copy.tsx";
import { Field, Form } from "../parts/form.tsx";
import { routerUrl } from "../place.ts";
import type { Asked } from "../problem.ts";
import { sendAt, type SamplingParams } from "./caller.ts";
import { curlOf, requestIn, wires, type Wire } from "./wires.ts";

export function WireRequests({ params }: { params: SamplingParams }) {
  const [wire, setWire] = useState<Wire>("Chat Completions");
  const [answer, setAnswer] = useState<string | null>(null);
  const request = requestIn(wire, params);
  const ask = async (): Promise<Asked<unknown>> => {
    const received = await sendAt(request);
    setAnswer(received.ok ? JSON.stringify(received.value, null, 2) : null);
    return received;
  };
  return (
    <details class="card">
      <summary>Same request for an OpenAI or Anthropic SDK</summary>
      <div class="stack">
        <Form submit={`Send to ${request.path}`} act={ask}>
          <Field
            title="API"
            name="wire"
            value={wire}
            options={wires.map((each) => [each, each] as const)}
            onInput={(picked) => {
              setWire(picked);
              setAnswer(null);
            }}
          />
        </Form>
        <CodeBlock title="Request" text={curlOf(request, { url: routerUrl, key: "$KEY" })} />
        {answer !== null && <CodeBlock title="Answer" text={answer} />}
      </div>
    </details>
  );
}
