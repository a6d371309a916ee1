import { Button } from "../parts/card.tsx";
import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { count, spaced } from "../format.ts";
import { ProblemNotice } from "../parts/notice.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { ownPath } from "../place.ts";
import type { Asked } from "../problem.ts";
import { exclusionText } from "../requests/notes.ts";

type Trial = Schemas["PolicyTrial"];
type Tried = Trial["data"][number];

const choiceOf = ({ model, refused }: Schemas["TriedChoice"]): string =>
  model ?? `refused: ${spaced(refused?.reason ?? "")}`;
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

const excludedText = (model: string | null, reason: string): string =>
  `${model ?? "the model"}: ${exclusionText(reason)}`;

const columnsOf = (): Column<Tried>[] => [
  {
    title: "Request",
    show: ({ id }) => (
      <a href={ownPath(`/requests/${encodeURIComponent(id)}`)}>
        <code>{id.slice(-6)}</code>
      </a>
    ),
    text: ({ id }) => id,
  },
  {
    title: "Current policy",
    text: ({ before }) => choiceOf(before),
  },
  {
    title: "New policy",
    text: ({ after }) => choiceOf(after),
  },
  { title: "Why", show: whyOf, text: whyOf },
];

function Found({ trial }: { trial: Trial }) {
  const { decisions, changed, newlyRefused, notReplayed, data } = trial;
  return (
    <div role="status">
      <p class={`notice ${changed === 0 ? "good" : "warn"}`}>
        <strong>
          Of the last {count(decisions)} decisions {count(changed)} would change, and{" "}
          {count(newlyRefused)} would be refused.
        </strong>
        {notReplayed.length > 0 &&
          ` Effects of these members can’t be tested: ${notReplayed.join(", ")}.`}
      </p>
      {changed > 0 && (
        <Table
          name="Test changes"
          columns={columnsOf()}
          rows={data.filter(({ isChanged }) => isChanged)}
          keyOf={({ id }) => id}
          empty=""
        />
      )}
    </div>
  );
}

interface PolicyTrialProps {
  policyOf: () => object | null;
}

export function PolicyTrial({ policyOf }: PolicyTrialProps) {
  const [found, setFound] = useState<Asked<Trial> | "asking" | null>(null);
  const policy = policyOf();
  const attempt = async (): Promise<void> => {
    if (policy === null) return;
    setFound("asking");
    setFound(await api.POST("/admin/v1/tenants/{tenant}/policy/dry-run", { body: { policy } }));
  };
  return (
    <section class="stack" aria-label="Dry run">
      <Button disabled={policy === null || found === "asking"} onClick={() => void attempt()}>
        {found === "asking" ? "Testing…" : "Test changes"}
      </Button>
      {found !== null && found !== "asking" && !found.ok && (
        <ProblemNotice problem={found.problem} />
      )}
      {found !== null && found !== "asking" && found.ok && <Found trial={found.value} />}
    </section>
  );
}
