import { Button } from "./card.tsx";
import type { ComponentChildren } from "preact";
import type { Loaded, Loading } from "../load.ts";
import { adviceFor, type Problem } from "../problem.ts";

export function ProblemNotice({ problem, again }: { problem: Problem; again?: () => unknown }) {
  const advice = adviceFor(problem);
  return (
    <div class="notice bad" role="alert">
      <strong>{problem.reason === "invalid_params" ? "Check your input" : problem.title}</strong>
      <p>
        {problem.path !== undefined && <code>{problem.path}: </code>}
        {problem.detail}
      </p>
      {advice !== null && <p>{advice}</p>}
      {problem.requestId !== undefined && (
        <p class="faint">
          Request <code>{problem.requestId}</code>
        </p>
      )}
      {again !== undefined && <Button onClick={() => void again()}>Try again</Button>}
    </div>
  );
}

export function Waiting({ what }: { what: string }) {
  return (
    <p class="waiting" role="status">
      Loading {what}…
    </p>
  );
}

interface ThereProps<T> {
  what: string;
  loading: Loading<T>;
  children: (value: T, loaded: Extract<Loaded<T>, { state: "there" }>) => ComponentChildren;
}

export function There<T>({ what, loading: { loaded, again }, children }: ThereProps<T>) {
  if (loaded.state === "loading") return <Waiting what={what} />;
  if (loaded.state === "failed") return <ProblemNotice problem={loaded.problem} again={again} />;
  return (
    <>
      {loaded.stale !== undefined && (
        <p class="notice warn" role="status">
          Showing older data: {what} could not be refreshed. {loaded.stale.title}
        </p>
      )}
      {children(loaded.value, loaded)}
    </>
  );
}

const tones: Readonly<Record<string, string>> = {
  succeeded: "good",
  active: "good",
  yes: "good",
  failed: "bad",
  failing: "bad",
  revoked: "bad",
  refused: "warn",
  unknown: "warn",
  preview: "warn",
  expired: "warn",
  running: "busy",
  "pending approval": "warn",
};

/** The color is redundant. */
export const Badge = ({ word, tone }: { word: string; tone?: string }) => (
  <span class={`badge ${tone ?? tones[word] ?? ""}`}>{word}</span>
);
