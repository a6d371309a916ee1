import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { count, few, fromNow, spaced } from "../format.ts";
import { limitTitle, ownerTitle } from "../limit-titles.ts";
import { useLoaded } from "../load.ts";
import { column, type Column } from "../parts/columns.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { amountText } from "../parts/limit-columns.tsx";
import { Button, There } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { ownPath } from "../place.ts";
import { memberTitle } from "../policy-changes.ts";
import { exclusionText } from "../requests/notes.ts";

type Trial = Schemas["PolicyTrial"];
type Tried = Trial["data"][number];

const choiceOf = ({ model, refused }: Schemas["TriedChoice"]): string =>
  model ?? `refused: ${spaced(refused?.reason ?? "")}`;
/** With a smaller budget, a call can pay for fewer tokens. */
const excludedText = (model: string | null, reason: string): string =>
  `${model ?? "the model"}: ${exclusionText(reason)}${reason === "reasoning_room" ? " within the limits" : ""}`;

function whyOf({ excludedBy, before, after: { model, refused } }: Tried): string {
  if (model !== null && before.model === null) return `${model} is allowed now`;
  if (excludedBy !== null)
    return `${excludedText(before.model, excludedBy)}${model === null ? ", and no other model is left" : ""}`;
  if (model !== null) return `${model} ranks higher`;
  const [most] = Object.entries(refused?.excluded ?? {}).toSorted(([, a], [, b]) => b - a);
  return `no model is left: ${most === undefined ? spaced(refused?.reason ?? "refused") : exclusionText(most[0])}`;
}

const columns: Column<Tried>[] = [
  column.of(
    "Request",
    ({ id }) => id,
    ({ id }) => <a href={ownPath(`/requests/${id}`)}>{id.slice(-6)}</a>,
  ),
  column.of("Current policy", ({ before }) => choiceOf(before)),
  column.of("New policy", ({ after }) => choiceOf(after)),
  column.of("Why", whyOf),
];

const usedUpText = (limit: Trial["usedUp"][number], names: Trial["names"]): string => {
  const [used, reserved, most] = [limit.used, limit.reserved, limit.limit].map((amount) =>
    amountText(limit, amount),
  );
  const held = limit.reserved > 0 ? `, ${reserved} reserved` : "";
  const resets = limit.resetsAt === null ? "" : `, resets ${fromNow(limit.resetsAt)}`;
  return `${ownerTitle(limit, names)}, ${limitTitle(limit.name)} (${used} of ${most} used${held}${resets})`;
};

function Found({ decisions, changed, newlyRefused, notReplayed, data, usedUp, names }: Trial) {
  const isUntested = notReplayed.length > 0 || decisions === 0;
  return (
    <>
      {usedUp.length > 0 && (
        <p role="status" class="notice bad">
          <strong>New calls would be refused.</strong> Used up already:{" "}
          {few(usedUp.map((limit) => usedUpText(limit, names)))}.
        </p>
      )}
      <p role="status" class={`notice ${changed > 0 || isUntested ? "warn" : "good"}`}>
        <strong>
          {decisions === 0
            ? "There are no decisions to replay yet."
            : `Of the last ${count(decisions)} decisions ${count(changed)} would change, and ${count(newlyRefused)} would get no model.`}
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
    </>
  );
}

function Replay({ policy }: { policy: object }) {
  const ask = () => api.POST("/admin/v1/tenants/{tenant}/policy/dry-run", { body: { policy } });
  return <There what="the test" loading={useLoaded("policy trial", ask)} children={Found} />;
}

/** A button that replays the last decisions. */
export function Trial({ policy }: { policy: object | null }) {
  const [isOpen, open] = useState(false);
  return (
    <>
      <Button disabled={policy === null} onClick={() => open(true)}>
        Test changes
      </Button>
      {isOpen && policy !== null && (
        <Dialog title="Test changes" isDrawer onClose={() => open(false)}>
          <Replay policy={policy} />
        </Dialog>
      )}
    </>
  );
}
