import { useState } from "preact/hooks";
import { causeOf } from "../../domain/alert-messages.ts";
import { alertFormats, alertKinds, defaultThresholds } from "../../domain/alerts.ts";
import { api, asked, type Schemas } from "../api.ts";
import { useLoaded } from "../load.ts";
import { Check, Choice, Field, Form } from "../parts/form.tsx";
import { Badge, ProblemNotice, There } from "../parts/notice.tsx";
import { Listed } from "../parts/listed.tsx";
import { Page } from "../parts/page.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { Webhooks } from "../parts/webhooks.tsx";
import { tenantPath } from "../place.ts";
import type { Asked } from "../problem.ts";
import { mayChange } from "../session.ts";

type Alert = Schemas["Alert"];
type Policy = Schemas["Policy"];
type Format = NonNullable<NonNullable<Policy["alerts"]>["format"]>;
type Test = Schemas["AlertTest"];

const tones = { info: "busy", warning: "warn", critical: "bad" } as const;

const columnsOf = (tenant: string): Column<Alert>[] => [
  {
    title: "When",
    order: ({ at }) => at,
    show: ({ at }) => <Time at={at} />,
    text: ({ at }) => isoOf(at),
  },
  {
    title: "Severity",
    order: ({ severity }) => -["info", "warning", "critical"].indexOf(severity),
    show: ({ severity }) => <Badge word={severity} tone={tones[severity]} />,
    text: ({ severity }) => severity,
  },
  {
    title: "Alert",
    show: (alert) => <a href={tenantPath(tenant, causeOf(alert))}>{alert.text}</a>,
    text: ({ text }) => text,
  },
  {
    title: "Muted until",
    show: ({ periodUntil }) => <Time at={periodUntil} />,
    text: ({ periodUntil }) => isoOf(periodUntil),
  },
];

const kindTitles: Readonly<Record<Alert["kind"], string>> = {
  budget_crossed: "A budget reaches a threshold",
  credential_failing: "A provider rejects a credential’s key",
  circuit_open: "Calls have failed for 10 minutes",
  server_failing: "A server rejects the router’s sign-in",
  seals_stopped: "Records are not sealed",
  sink_behind: "The audit sink rejects sealed records",
};

const formatTitles: Readonly<Record<Format, string>> = {
  webhook: "Webhook (Standard Webhooks)",
  slack: "Slack incoming webhook",
  discord: "Discord webhook",
  teams: "Microsoft Teams workflow",
};
const hosts: readonly (readonly [RegExp, Format])[] = [
  [/^https:\/\/hooks\.slack\.com\//, "slack"],
  [/^https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\//, "discord"],
  [/^https:\/\/[\w.-]+\.(?:logic\.azure|api\.powerplatform|webhook\.office)\.com[:/]/, "teams"],
];

const notNumbers: Asked<never> = {
  ok: false,
  problem: {
    status: 0,
    reason: "invalid_params",
    title: "Invalid thresholds",
    path: "alerts.thresholds",
    detail: "Enter percentages from 1 to 100, separated by commas.",
  },
};

/** `null` if invalid */
function thresholdsIn(text: string): number[] | null {
  const thresholds = text.split(/[,\s]+/).flatMap((each) => (each === "" ? [] : [Number(each)]));
  return thresholds.every((threshold) => Number.isInteger(threshold))
    ? [...new Set(thresholds)]
    : null;
}

function TestResult({ test }: { test: Asked<Test> }) {
  if (!test.ok) return <ProblemNotice problem={test.problem} />;
  const { status, fault, body } = test.value;
  return (
    <div class={`notice ${fault === null ? "good" : "bad"}`} role="status">
      <strong>
        {fault === null ? "The receiver accepted the alert" : "The alert was not accepted"}
        {status !== null && ` (HTTP ${status})`}
      </strong>
      {fault !== null && <p>{fault}</p>}
      <details>
        <summary>What was sent</summary>
        <pre tabIndex={0}>{JSON.stringify(body, null, 2)}</pre>
      </details>
    </div>
  );
}

interface Draft {
  url: string;
  format: Format;
  thresholds: string;
  kinds: readonly Alert["kind"][];
}

const draftOf = ({ alerts = {} }: Policy): Draft => ({
  url: alerts.webhookUrl ?? "",
  format: alerts.format ?? "webhook",
  thresholds: (alerts.thresholds ?? defaultThresholds).join(", "),
  kinds: alerts.kinds ?? alertKinds,
});

interface FieldsProps {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
  faultOf: (name: string) => string | null;
}

const Kinds = ({ draft: { kinds }, change }: Omit<FieldsProps, "faultOf">) => (
  <fieldset>
    <legend>Send if</legend>
    <div class="grid wide">
      {alertKinds.map((kind) => (
        <Check
          key={kind}
          name={kind}
          title={kindTitles[kind]}
          value={kinds.includes(kind)}
          onInput={(isOn) =>
            change({
              kinds: alertKinds.filter((each) => (each === kind ? isOn : kinds.includes(each))),
            })
          }
        />
      ))}
    </div>
  </fieldset>
);

const Where = ({ draft, change, faultOf }: FieldsProps) => (
  <div class="grid">
    <Field
      title="URL"
      name="alerts.webhookUrl"
      type="url"
      placeholder="Alerts are only listed here"
      value={draft.url}
      onInput={(url) => {
        const [, format = draft.format] = hosts.find(([host]) => host.test(url)) ?? [];
        change({ url, format });
      }}
      fault={faultOf("alerts.webhookUrl")}
    />
    <Choice
      title="Receiver"
      name="alerts.format"
      value={draft.format}
      options={alertFormats.map((each) => [each, formatTitles[each]])}
      onInput={(format) => change({ format })}
    />
    <Field
      title="Budget thresholds (%)"
      name="alerts.thresholds"
      value={draft.thresholds}
      onInput={(thresholds) => change({ thresholds })}
      hint="Of each budget, for example 50, 80, 100."
      fault={faultOf("alerts.thresholds")}
    />
  </div>
);

function SendTest({ tenant, draft }: { tenant: string; draft: Draft }) {
  const [test, setTest] = useState<Asked<Test> | "asking" | null>(null);
  const { url, format } = draft;
  const send = async (): Promise<void> => {
    setTest("asking");
    const params = { path: { tenant } };
    const body = { webhookUrl: url, format };
    setTest(await asked(api.POST("/admin/v1/tenants/{tenant}/alerts/test", { params, body })));
  };
  return (
    <>
      <p>
        <button
          type="button"
          disabled={url === "" || test === "asking"}
          onClick={() => void send()}
        >
          {test === "asking" ? "Sending…" : "Send test alert"}
        </button>
      </p>
      {test !== null && test !== "asking" && <TestResult test={test} />}
    </>
  );
}

interface ReceiverProps {
  tenant: string;
  policy: Policy;
  tag: string | null;
  onDone: () => void;
}

function Receiver({ tenant, policy, tag, onDone }: ReceiverProps) {
  const [draft, setDraft] = useState(draftOf(policy));
  const change = (changes: Partial<Draft>): void => setDraft({ ...draft, ...changes });
  const save = async (): Promise<Asked<unknown>> => {
    const { url, format, kinds } = draft;
    const thresholds = thresholdsIn(draft.thresholds);
    if (thresholds === null) return notNumbers;
    const alerts = {
      webhookUrl: url === "" ? null : url,
      format: format === "webhook" ? null : format,
      thresholds,
      kinds: kinds.length === alertKinds.length ? null : kinds,
    };
    const saved = await asked(
      api.PATCH("/admin/v1/tenants/{tenant}/policy", {
        params: { path: { tenant } },
        headers: { "If-Match": tag ?? "*" },
        body: { alerts },
      }),
    );
    if (saved.ok) onDone();
    return saved;
  };
  return (
    <section class="card stack">
      <h2>Where alerts are sent</h2>
      <Form submit="Save changes" act={save} reload={onDone}>
        {(faultOf) => (
          <>
            <Where {...{ draft, change, faultOf }} />
            <Kinds {...{ draft, change }} />
            <SendTest tenant={tenant} draft={draft} />
          </>
        )}
      </Form>
    </section>
  );
}

export function Alerts({ params: { tenant } }: { params: { tenant: string } }) {
  const paging = usePaging<Alert>(`alerts of ${tenant}`, (query) =>
    asked(api.GET("/admin/v1/tenants/{tenant}/alerts", { params: { path: { tenant }, query } })),
  );
  const policy = useLoaded(`policy of ${tenant}`, () =>
    asked(api.GET("/admin/v1/tenants/{tenant}/policy", { params: { path: { tenant } } })),
  );
  return (
    <Page title="Alerts" lead="Budgets that reach a threshold, and problems that persist.">
      <div class="stack">
        <div>
          <Listed
            what="alerts"
            paging={paging}
            name="Alerts"
            columns={columnsOf(tenant)}
            keyOf={({ id }) => id}
            empty="No alerts. All budgets, credentials, servers, seals, and the audit sink are fine."
          />
        </div>
        {mayChange.value && (
          <There what="the policy" loading={policy}>
            {(found, { tag }) => (
              <Receiver
                key={tag}
                {...{ tenant, policy: found, tag }}
                onDone={() => void policy.again()}
              />
            )}
          </There>
        )}
        <Webhooks tenant={tenant} />
      </div>
    </Page>
  );
}
