/** The sections of the policy's form. Their fields are bound to the policy. */
import { useState } from "preact/hooks";
import type { Schemas } from "../api.ts";
import { given } from "../members.ts";
import { Field, Fields, type Editing, type FieldOf } from "../parts/form.tsx";
import { LimitFields, type Limits } from "../parts/limits.tsx";
import { Button } from "../parts/page.tsx";
import { RaiseFields } from "./policy-raises.tsx";

type Policy = Schemas["Policy"];
type PolicyFields = readonly FieldOf<Policy>[];

const limitFields: PolicyFields = [
  {
    name: "timeZone",
    title: "Time zone",
    placeholder: "UTC",
    list: "time-zones",
    hint: "For days, weeks and months of all limits. A change resets their usage.",
  },
];
const number = { as: "number", min: 0, placeholder: "none" } as const;
const runFields: PolicyFields = [
  { name: "runs.callsPerRun", title: "Calls per run", ...number },
  { name: "runs.usdPerRun", title: "USD per run", step: "any", ...number },
  { name: "runs.newRunsPerDay", title: "New runs per key and day", ...number },
];
const modelFields: PolicyFields = [
  {
    name: "allowedModels",
    title: "Allowed models",
    as: "lines",
    rows: 3,
    isCode: true,
    hint: "One pattern per line: provider/model. */anthropic/claude-* allows Claude at every provider. Leave blank to allow all.",
  },
  {
    name: "deniedModels",
    title: "Denied models",
    as: "lines",
    rows: 3,
    isCode: true,
    hint: "Takes precedence over allowed models. A pattern can match any name of a model: */claude-opus* denies Claude Opus at every provider.",
  },
  { name: "maxTokens", title: "Maximum tokens per answer", ...number, min: 1 },
];
const recordFields: PolicyFields = [
  {
    name: "capture",
    title: "Captured content",
    options: [
      ["", "Default (off)"],
      ["none", "Off"],
      ["full", "Requests and results, encrypted"],
    ],
  },
  {
    name: "userNames",
    title: "Names of people",
    options: [
      ["", "Default (not stored)"],
      ["none", "Not stored"],
      ["keep", "Stored until the person is deleted"],
    ],
  },
  { name: "retentionDays", title: "Record retention (days)", ...number, min: 1, placeholder: "90" },
];
const modeField = (none: "" | "auto"): FieldOf<Policy> => ({
  name: "approval.mode",
  title: "Requires approval of",
  options: [
    [none, "nothing: calls run without approval"],
    ["request", "the request, before it is paid for"],
    ["result", "the result, after it is paid for"],
    ["both", "the request, then the result"],
  ],
});
const conditionFields: PolicyFields = [
  {
    ...number,
    step: "any",
    placeholder: "any",
    name: "approval.when.costUsdAbove",
    title: "Only calls above (USD)",
  },
  {
    name: "approval.when.tools",
    title: "Or of these tools",
    as: "list",
    placeholder: "send_mail, delete_file",
  },
  {
    name: "approval.when.servers",
    title: "Or from these servers",
    as: "list",
    placeholder: "payments",
  },
  {
    name: "approval.when.models",
    title: "Or to these models",
    as: "list",
    placeholder: "*/claude-opus*",
  },
];
const decisionFields: PolicyFields = [
  {
    ...number,
    min: 60,
    placeholder: "3600",
    name: "approval.timeoutSeconds",
    title: "Time to decide (s)",
  },
  {
    name: "approval.approvers",
    title: "Own calls",
    byDefault: "others",
    options: [
      ["others", "only by others"],
      ["self", "people may approve their own"],
    ],
  },
  {
    name: "approval.webhookUrl",
    title: "Webhook",
    type: "url",
    placeholder: "none",
    hint: "Notified of pending calls, without their content.",
  },
];

const Part = ({ wide, ...its }: Editing<Policy> & { of: PolicyFields; wide?: true }) => (
  <div class={wide ? "grid wide" : "grid"}>
    <Fields {...its} />
  </div>
);

function ApprovalFields(its: Editing<Policy>) {
  const { mode = "", when } = its.draft.approval ?? {};
  return (
    <>
      <Part of={[modeField(mode === "auto" ? mode : "")]} {...its} wide />
      {mode !== "" && mode !== "auto" && (
        <>
          <Part of={conditionFields} {...its} />
          <p class="faint">
            Any matching condition suffices. Without conditions, every call needs approval.
            {when?.modalities !== undefined && " The JSON has another condition, modalities."}
          </p>
          <Part of={decisionFields} {...its} />
        </>
      )}
    </>
  );
}

type OwnerProps = Editing<Policy> & { owner: "groups" | "tags"; title: string };

/** Limits of each group or tag, and of single ones. */
function OwnerFields({ draft, change, owner, title }: OwnerProps) {
  const { each, limits, ...others } = draft[owner] ?? {};
  const [rows, setRows] = useState<readonly [name: string, limits: Limits][]>(
    Object.entries(limits ?? {}),
  );
  const set = (members: {
    each?: Limits | undefined;
    limits?: Record<string, Limits> | undefined;
  }): void => change({ [owner]: given({ ...others, each, limits, ...members }) });
  const put = (all: typeof rows): void => {
    setRows(all);
    const named = all.filter(([name]) => name.trim() !== "");
    set({ limits: given(Object.fromEntries(named.map(([name, its]) => [name.trim(), its]))) });
  };
  return (
    <section class="stack">
      <LimitFields
        title={rows.length === 0 ? `Each ${title}` : `Each other ${title}`}
        path={`${owner}.each`}
        limits={each}
        onInput={(changed) => set({ each: changed })}
      />
      {rows.map(([name, its], at) => (
        <section key={at} class="stack">
          <Field
            title={`Name of the ${title}`}
            name={`${owner}.${at}.name`}
            value={name}
            onInput={(text) => put(rows.with(at, [text, its]))}
            isRequired
            hint="Without limits below, it is unlimited."
          />
          <LimitFields
            title={`The ${title} ${name}`}
            path={`${owner}.limits.${name}`}
            limits={its}
            onInput={(changed = {}) => put(rows.with(at, [name, changed]))}
          />
          <Button class="quiet danger" onClick={() => put(rows.toSpliced(at, 1))}>
            Remove the {title} {name}
          </Button>
        </section>
      ))}
      <Button class="quiet" onClick={() => put([...rows, ["", {}]])}>
        Limit a single {title}
      </Button>
    </section>
  );
}

const PeopleFields = (its: Editing<Policy>) => (
  <>
    <LimitFields
      title="Each person"
      path="perUser"
      limits={its.draft.perUser}
      onInput={(perUser) => its.change({ perUser })}
    />
    <OwnerFields owner="groups" title="group" {...its} />
    <OwnerFields owner="tags" title="tag" {...its} />
    <fieldset>
      <legend>Runs</legend>
      <Part of={runFields} {...its} />
    </fieldset>
  </>
);

const TenantFields = (its: Editing<Policy>) => (
  <>
    <LimitFields
      title="Whole tenant"
      limits={its.draft.limits}
      onInput={(limits) => its.change({ limits })}
    />
    <Part of={limitFields} {...its} wide />
    <datalist id="time-zones">
      {Intl.supportedValuesOf("timeZone").map((each) => (
        <option key={each} value={each} />
      ))}
    </datalist>
  </>
);

/** Each with its members in the policy. */
export const sections = [
  { title: "Limits", paths: ["limits", "timeZone"], Shown: TenantFields },
  {
    title: "People, groups, tags and runs",
    paths: ["perUser", "groups", "tags", "runs"],
    Shown: PeopleFields,
  },
  { title: "Temporary raises", paths: ["raises"], Shown: RaiseFields },
  {
    title: "Models",
    paths: ["allowedModels", "deniedModels", "maxTokens"],
    Shown: (its: Editing<Policy>) => <Part of={modelFields} {...its} wide />,
  },
  { title: "Approval", paths: ["approval"], Shown: ApprovalFields },
  {
    title: "Records",
    paths: ["capture", "userNames", "retentionDays"],
    Shown: (its: Editing<Policy>) => <Part of={recordFields} {...its} wide />,
  },
];
