/** The sections of the policy's form. Their fields are bound to the policy. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { isAllowed } from "../../domain/models/allowed.ts";
import type { Schemas } from "../api.ts";
import { duration } from "../format.ts";
import { useLoaded, useRead, valueIn } from "../load.ts";
import { given } from "../members.ts";
import { allModels, nameOf } from "../models/figures.tsx";
import { Field, Fields, useFaults, type Editing, type FieldOf } from "../parts/form.tsx";
import { Folded, LimitFields, type Limits } from "../parts/limits.tsx";
import { Button } from "../parts/page.tsx";
import { membersText, memberTitle } from "../policy-changes.ts";
import { RaiseFields } from "./policy-raises.tsx";

type Policy = Schemas["Policy"];
type PolicyField = FieldOf<Policy>;
type PolicyFields = readonly PolicyField[];

const fieldAs =
  (kind: Partial<PolicyField>) =>
  (name: PolicyField["name"], title: string): PolicyField => ({ ...kind, name, title });
const number = fieldAs({ as: "number", placeholder: "none" });
const list = fieldAs({ as: "list" });
const patterns = fieldAs({ as: "lines", rows: 3, isCode: true });
const choice = (texts: Readonly<Record<string, string>>) =>
  fieldAs({ options: Object.entries(texts) });

const runFields = [
  number("runs.callsPerRun", "Calls per run"),
  number("runs.usdPerRun", "USD per run"),
  number("runs.newRunsPerDay", "New runs per key and day"),
];
const modelFields = [
  {
    ...patterns("allowedModels", "Allowed models"),
    hint: "One pattern per line: provider/model. */anthropic/claude-* allows Claude at every provider. Leave blank to allow all.",
  },
  {
    ...patterns("deniedModels", "Denied models"),
    hint: "Takes precedence over allowed models. A pattern can match any name of a model: */claude-opus* denies Claude Opus at every provider.",
  },
  number("maxTokens", "Maximum tokens per answer"),
];
const recordFields: PolicyFields = [
  choice({
    "": "Default (off)",
    none: "Off",
    full: "Requests and results, encrypted",
  })("capture", "Captured content"),
  choice({
    "": "Default (not stored)",
    none: "Not stored",
    keep: "Stored until deleted",
  })("userNames", "Names of people"),
  { ...number("retentionDays", "Record retention (days)"), placeholder: "90" },
];
const modeField = (none: "" | "auto") =>
  choice({
    [none]: "nothing: calls run without approval",
    request: "the request, before it is paid for",
    result: "the result, after it is paid for",
    both: "the request, then the result",
  })("approval.mode", "Requires approval of");
const conditionFields = [
  { ...number("approval.when.costUsdAbove", "Only calls above (USD)"), placeholder: "any" },
  { ...list("approval.when.tools", "Or of these tools"), placeholder: "send_mail, delete_file" },
  { ...list("approval.when.servers", "Or from these servers"), placeholder: "payments" },
  { ...list("approval.when.models", "Or to these models"), placeholder: "*/claude-opus*" },
];
const timeField = number("approval.timeoutSeconds", "Time to decide (s)");
const approversField = choice({ others: "only by others", self: "people may approve their own" });
const decisionFields: PolicyFields = [
  { ...approversField("approval.approvers", "Own calls"), byDefault: "others" },
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

function ApprovalFields({ draft, ...its }: Editing<Policy>) {
  const { mode = "", when, timeoutSeconds = 3_600 } = draft.approval ?? {};
  /** what else a removed rule had */
  const [removed, setRemoved] = useState<Policy["approval"]>();
  const change: Editing<Policy>["change"] = ({ approval }) => {
    setRemoved(approval?.mode ? undefined : approval);
    its.change({ approval: approval?.mode ? { ...removed, ...approval } : undefined });
  };
  return (
    <>
      <Part of={[modeField(mode === "auto" ? mode : "")]} {...{ draft, change }} wide />
      {mode !== "" && mode !== "auto" && (
        <>
          <Part of={conditionFields} {...{ draft, change }} />
          <p class="faint">
            Any matching condition suffices. Without conditions, every call needs approval.
            {when?.modalities !== undefined && " The JSON has another condition, modalities."}
          </p>
          <Part
            of={[
              { ...timeField, placeholder: "3600", hint: duration(timeoutSeconds * 1_000) },
              ...decisionFields,
            ]}
            {...{ draft, change }}
          />
        </>
      )}
    </>
  );
}

type OwnerProps = Editing<Policy> & { owner: "groups" | "tags" };

/** Limits of each group or tag, and of single ones. */
function OwnerFields({ draft, change, owner }: OwnerProps) {
  const title = owner.slice(0, -1);
  const { each, limits: single = {} } = draft[owner] ?? {};
  const [text, setText] = useState("");
  const added = text.trim();
  const set = (members: object): void =>
    change({ [owner]: given({ ...draft[owner], ...members }) });
  const put = (name: string, limits: Limits | undefined): void =>
    set({ limits: given({ ...single, [name]: limits }) });
  const add = (): void => {
    put(added, { ...single[added] });
    setText("");
  };
  return (
    <>
      <LimitFields
        title={Object.keys(single).length === 0 ? `Each ${title}` : `Each other ${title}`}
        path={`${owner}.each`}
        limits={each}
        onInput={(limits) => set({ each: limits })}
      />
      {Object.entries(single).map(([name, its]) => (
        <section key={name} class="stack">
          <LimitFields
            title={`The ${title} ${name}`}
            path={`${owner}.limits.${name}`}
            limits={its}
            onInput={(limits = {}) => put(name, limits)}
          />
          <Button class="quiet danger" onClick={() => put(name, undefined)}>
            Remove the {title} {name}
          </Button>
        </section>
      ))}
      <div
        class="filters"
        onKeyDown={(event) => {
          if (event.key !== "Enter" || added === "") return;
          event.preventDefault();
          add();
        }}
      >
        <Field
          title={`Limit a single ${title}`}
          name={`${owner}.added`}
          value={text}
          onInput={setText}
          placeholder="name"
          hint="It is unlimited unless you set limits."
          refused={added === "" ? undefined : `Add the ${title}, or clear its name.`}
        />
        <Button disabled={added === ""} onClick={add}>
          Add {title}
        </Button>
      </div>
    </>
  );
}

function PeopleFields(its: Editing<Policy>) {
  const faultOf = useFaults();
  const folded = (member: "groups" | "tags" | "runs", children: ComponentChildren) => (
    <Folded
      title={[memberTitle(member), <small> {membersText(its.draft, [member])}</small>]}
      isSet={its.draft[member] !== undefined}
      isWrong={faultOf(member) !== null}
    >
      <div class="stack">{children}</div>
    </Folded>
  );
  return (
    <>
      <LimitFields
        title="Each person"
        path="perUser"
        limits={its.draft.perUser}
        onInput={(perUser) => its.change({ perUser })}
      />
      {folded("groups", <OwnerFields owner="groups" {...its} />)}
      {folded("tags", <OwnerFields owner="tags" {...its} />)}
      {folded("runs", <Part of={runFields} {...its} />)}
    </>
  );
}

const TenantFields = (its: Editing<Policy>) => (
  <>
    <LimitFields
      title="Whole tenant"
      limits={its.draft.limits}
      onInput={(limits) => its.change({ limits })}
    />
    <Fields
      of={[
        {
          name: "timeZone",
          title: "Time zone",
          placeholder: "UTC",
          list: Intl.supportedValuesOf("timeZone"),
          hint: "For days, weeks and months of all limits. A change resets their usage.",
        },
      ]}
      {...its}
    />
  </>
);

function ModelFields(its: Editing<Policy>) {
  const models = valueIn(useLoaded("models", allModels)) ?? [];
  const credentials = valueIn(useRead("/admin/v1/tenants/{tenant}/credentials", { limit: 200 }));
  const providers = new Set(credentials?.data.map(({ provider }) => provider));
  const active = models.filter((each) => each.status !== "retired" && providers.has(each.provider));
  const allowed = active.filter((model) => isAllowed(model, its.draft));
  return (
    <>
      <Part of={modelFields} {...its} wide />
      {active.length > 0 && (
        <p class="faint" role="status">
          Allows {allowed.length} of {active.length} models of your providers
          {allowed.length < 4 && `: ${allowed.map(nameOf).join(", ") || "none"}`}.
        </p>
      )}
    </>
  );
}

/** Each with its members in the policy. */
export const sections = [
  { title: "Limits", paths: ["limits", "timeZone"], Shown: TenantFields },
  {
    title: "People, groups, tags and runs",
    paths: ["perUser", "groups", "tags", "runs"],
    Shown: PeopleFields,
  },
  { title: "Temporary raises", paths: ["raises"], Shown: RaiseFields },
  { title: "Models", paths: ["allowedModels", "deniedModels", "maxTokens"], Shown: ModelFields },
  { title: "Approval", paths: ["approval"], Shown: ApprovalFields },
  {
    title: "Records",
    paths: ["capture", "userNames", "retentionDays"],
    Shown: (its: Editing<Policy>) => <Part of={recordFields} {...its} wide />,
  },
];
