import type { Schemas } from "../api.ts";
import { ProblemNotice } from "../parts/notice.tsx";
import type { Asked } from "../problem.ts";

export function TestResult({ test }: { test: Asked<Schemas["AlertTest"]> }) {
  if (!test.ok) return <ProblemNotice problem={test.problem} />;
  const { status, fault, answer, body } = test.value;
  return (
    <div class={`notice ${fault === null ? "good" : "bad"}`} role="status">
      <strong>
        {status === null
          ? `Not delivered: ${fault ?? ""}`
          : `${fault === null ? "The receiver accepted the alert" : "The alert was not accepted"} (HTTP ${status})`}
      </strong>
      {status !== null && fault !== null && <p>{fault}</p>}
      {answer !== "" && <pre tabIndex={0}>{answer}</pre>}
      <details>
        <summary>What was sent</summary>
        <pre tabIndex={0}>{JSON.stringify(body, null, 2)}</pre>
      </details>
    </div>
  );
}
