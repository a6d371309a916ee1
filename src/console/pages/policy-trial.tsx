import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { count, spaced } from "../format.ts";
import type { Column } from "../parts/columns.tsx";
import { Button, ProblemNotice } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { ownPath } from "../place.ts";
import { memberTitle } from "../policy-changes.ts";
import type { Asked } from "../problem.ts";
import { exclusionText } from "../requests/notes.ts";

type Trial = Schemas["PolicyTrial"];
type Tried = Trial["data"][number];

const choiceOf = ({ model, refused }: Schemas["TriedChoice"]): string =>
  model ?? `refused: ${spaced(refused?.reason ?? "")}`;
/** With a smaller budget, a call can pay for fewer tokens. */
const excludedText = (model: string | null, reason: string): string =>
  `${model ?? "the model"}: ${exclusionText(reason)}${reason === "reasoning_room" ? " within the limits" : ""}`;

function whyOf({ excludedBy, before, after }: Tried): string {
  const { model, refused } = after;
  if (model !== null && before.model === null) return `${model} is allowed now`;
  if (model !== null)
    return excludedBy === null ? `${model} ranks higher` : excludedText(before.model, excludedBy);
  const [most] = Object.entries(refused?.excluded ?? {}).toSorted(([, a], [, b]) => b - a);
  if (excludedBy !== null)
    return `${excludedText(before.model, excludedBy)}, and no other model is left`;
  return `no model is left: ${most === undefined ? spaced(refused?.reason ?? "refused") : exclusionText(most[0])}`;
}

const columns: Column<Tried>[] = [
  {
    title: "Request",
    show: ({ id }) => (
      <a href={ownPath(`/requests/${encodeURIComponent(id)}`)}>
        <code>{id.slice(-6)}</code>
      </a>
    ),
    text: ({ id }) => id,
  },
  { title: "Current policy", text: ({ before }) => choiceOf(before) },
  { title: "New policy", text: ({ after }) => choiceOf(after) },
  { title: "Why", text: whyOf },
];

function Found({ trial }: { trial: Trial }) {
  const { decisions, changed, newlyRefused, notReplayed, data } = trial;
  const isUntested = notReplayed.length > 0 || decisions === 0;
  return (
    <div role="status" ref={(each) => each?.scrollIntoView({ block: "center" })}>
      <p class={`notice ${changed > 0 || isUntested ? "warn" : "good"}`}>
        <strong>
          {decisions === 0
            ? "There are no decisions to replay yet."
            : `Of the last ${count(decisions)} decisions ${count(changed)} would change, and ${count(newlyRefused)} would be refused.`}
        </strong>
        {notReplayed.length > 0 &&
          ` Not fully tested: ${notReplayed.map(memberTitle).join(", ")}. Records don’t contain usage at the time, for example, so more calls may be refused.`}
      </p>
      {changed > 0 && (
        <Table
          name="Test changes"
          columns={columns}
          rows={data.filter(({ isChanged }) => isChanged)}
          keyOf={({ id }) => id}
          empty=""
        />
      )}
    </div>
  );
}

/** A button that replays the last decisions, and what it found. */
export function useTrial(
  policyOf: () => object | null,
): Record<"button" | "found", ComponentChildren> {
  const [found, setFound] = useState<Asked<Trial> | "asking" | null>(null);
  const policy = policyOf();
  const attempt = async (): Promise<void> => {
    if (policy === null) return;
    setFound("asking");
    setFound(await api.POST("/admin/v1/tenants/{tenant}/policy/dry-run", { body: { policy } }));
  };
  return {
    button: (
      <Button disabled={policy === null || found === "asking"} onClick={() => void attempt()}>
        {found === "asking" ? "Testing…" : "Test changes"}
      </Button>
    ),
    found:
      found === null || found === "asking" ? null : found.ok ? (
        <Found trial={found.value} />
      ) : (
        <ProblemNotice problem={found.problem} />
      ),
  };
}

export function Trial({ policyOf }: { policyOf: () => object | null }) {
  const { button, found } = useTrial(policyOf);
  return (
    <>
      {button}
      {found}
    </>
  );
}
