/** Sends a test alert, and shows the receiver's answer. */
import type { Schemas } from "../api.ts";
import { Button } from "../parts/card.tsx";
import { ProblemNotice } from "../parts/notice.tsx";
import type { Asked } from "../problem.ts";

export type Tested = Asked<Schemas["AlertTest"]> | "asking" | null;

export const hasFailed = (test: Tested): boolean =>
  test !== null && test !== "asking" && (!test.ok || test.value.fault !== null);

function headingOf({ status, fault }: Schemas["AlertTest"]): string {
  if (fault === null) return `The receiver accepted the alert (HTTP ${status})`;
  if (status !== null) return `The alert was not accepted (HTTP ${status})`;
  return fault.startsWith("No answer") ? "The receiver could not be reached" : "Nothing was sent";
}

function Result({ test }: { test: Exclude<Tested, "asking" | null> }) {
  if (!test.ok) return <ProblemNotice problem={test.problem} />;
  const { fault, answer, body } = test.value;
  return (
    <div class={`notice ${fault === null ? "good" : "bad"}`} role="status">
      <strong>{headingOf(test.value)}</strong>
      {fault !== null && <p>{fault}</p>}
      {answer !== "" && <pre tabIndex={0}>{answer}</pre>}
      <details>
        <summary>What was sent</summary>
        <pre tabIndex={0}>{JSON.stringify(body, null, 2)}</pre>
      </details>
    </div>
  );
}

interface SendTestProps {
  test: Tested;
  isReady: boolean;
  send: () => Promise<void>;
}

export const SendTest = ({ test, isReady, send }: SendTestProps) => (
  <>
    <Button disabled={!isReady || test === "asking"} onClick={() => void send()}>
      {test === "asking" ? "Sending…" : "Send test alert"}
    </Button>
    {test !== null && test !== "asking" && <Result test={test} />}
  </>
);
