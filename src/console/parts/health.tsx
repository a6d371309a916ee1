import { fromNow, time } from "../format.ts";
import { Badge } from "./notice.tsx";

const tones: Readonly<Record<string, string>> = {
  active: "good",
  "not checked": "",
  disabled: "warn",
};

interface HealthProps {
  state: string;
  /** of the last check */
  at: number | undefined;
  fault: string | null;
}

/** What a check found, when, and what is wrong. */
export const Health = ({ state, at, fault }: HealthProps) => (
  <>
    <Badge word={state} tone={tones[state] ?? "bad"} />{" "}
    {at !== undefined && (
      <small class="nowrap" title={time(at)}>
        checked {fromNow(at)}
      </small>
    )}
    {fault !== null && <div class="note">{fault}</div>}
  </>
);
