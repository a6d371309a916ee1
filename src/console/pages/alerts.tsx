import { useState } from "preact/hooks";
import { causeOf } from "../../domain/alert-messages.ts";
import {
  alertKinds,
  alertPlaceholders,
  defaultThresholds,
  type AlertFormat,
  type AlertKind,
} from "../../domain/alerts.ts";
import { emailApis } from "../alerts/email-apis.ts";
import { api, type Schemas } from "../api.ts";
import { count } from "../format.ts";
import { useRead, valueIn } from "../load.ts";
import { column, type Column } from "../parts/columns.tsx";
import { Edited, type Changed } from "../parts/edited.tsx";
import { Fields, type Editing, type FieldOf } from "../parts/form.tsx";
import { Listed, usePaging } from "../parts/list-page.tsx";
import { Badge, Button, Card, Page, ProblemNotice, There } from "../parts/page.tsx";
import { Webhooks } from "../parts/webhooks.tsx";
import { ownPath } from "../place.ts";
import type { Asked } from "../problem.ts";

type Alert = Schemas["Alert"];

const tones = { info: "busy", warning: "warn", critical: "bad" } as const;

const columns: readonly Column<Alert>[] = [
  column.of(
    "Alert",
    ({ text }) => text,
    (alert) => <a href={ownPath(causeOf(alert))}>{alert.text}</a>,
  ),
  column.time("When", ({ at }) => at),
  {
    title: "Severity",
    order: ({ severity }) => -Object.keys(tones).indexOf(severity),
    show: ({ severity }) => <Badge word={severity} tone={tones[severity]} />,
    text: ({ severity }) => severity,
  },
  column.time("Not repeated until", ({ periodUntil }) => periodUntil),
];

const kindTitles: Readonly<Record<AlertKind, string>> = {
  budget_crossed: "A budget reaches a threshold",
  credential_failing: "A provider rejects a credential’s key",
  circuit_open: "Calls have failed for 10 minutes",
  server_failing: "A server rejects the router’s sign-in",
  seals_stopped: "Records are not sealed",
  sink_behind: "The audit sink rejects sealed records",
};

const formatTitles: Readonly<Record<AlertFormat, string>> = {
  webhook: "Webhook (Standard Webhooks)",
  slack: "Slack incoming webhook",
  discord: "Discord webhook",
  teams: "Microsoft Teams workflow",
  custom: "Email or another HTTP API",
};
const hosts: readonly (readonly [RegExp, AlertFormat])[] = [
  [/^https:\/\/hooks\.slack\.com\//, "slack"],
  [/^https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\//, "discord"],
  [/^https:\/\/[\w.-]+\.(?:logic\.azure|api\.powerplatform|webhook\.office)\.com[:/]/, "teams"],
];

/** What is typed for the header isn’t part of the policy. */
type Draft = Pick<Schemas["Policy"], "alerts"> & { header?: { name?: string; value?: string } };

const receiverFields: readonly FieldOf<Draft>[] = [
  {
    name: "alerts.webhookUrl",
    title: "URL",
    type: "url",
    placeholder: "Alerts are only listed here",
    hint: "Alerts have one receiver.",
  },
  {
    name: "alerts.format",
    title: "Receiver",
    options: Object.entries(formatTitles),
    byDefault: "webhook",
  },
  {
    name: "alerts.thresholds",
    title: "Budget thresholds (%)",
    as: "numbers",
    pattern: "[0-9.,\\s]*",
    placeholder: defaultThresholds.join(", "),
    hint: "Of each budget, separated by commas.",
  },
];
const bodyField: FieldOf<Draft> = {
  name: "alerts.body",
  title: "Message (JSON)",
  rows: 8,
  isCode: true,
  hint: `Replaced in its texts: ${alertPlaceholders.map((each) => `{${each}}`).join(", ")}.`,
};
const headerFields = (kept: Schemas["WebhookHeader"] | undefined): FieldOf<Draft>[] => [
  { name: "header.name", title: "Header with your key" },
  {
    name: "header.value",
    title: "Its value",
    type: "password",
    hint: kept ? `Leave blank to keep ${kept.name} for ${kept.origin}.` : "Stored encrypted.",
  },
];

function Custom({ draft, change }: Editing<Draft>) {
  const { alerts } = draft;
  const loading = useRead("/admin/v1/tenants/{tenant}/webhooks/headers");
  const isFor = ({ origin }: Schemas["WebhookHeader"]): boolean =>
    origin === URL.parse(alerts?.webhookUrl ?? "")?.origin;
  return (
    <fieldset>
      <legend>The API’s request</legend>
      <p class="buttons">
        Fill in for:
        {emailApis.map(({ name, url: webhookUrl, header, body: message }) => (
          <Button
            key={name}
            class="quiet"
            onClick={() => {
              const body = JSON.stringify(message, null, 2);
              change({ alerts: { ...alerts, webhookUrl, body }, header });
            }}
          >
            {name}
          </Button>
        ))}
      </p>
      <There what="the header" loading={loading}>
        {({ data }) => (
          <div class="grid">
            <Fields of={headerFields(data.find(isFor))} {...{ draft, change }} />
          </div>
        )}
      </There>
      <Fields of={[bodyField]} {...{ draft, change }} />
    </fieldset>
  );
}

function Kinds({ draft: { alerts = {} }, change }: Editing<Draft>) {
  const { kinds = alertKinds, ...others } = alerts;
  const draft = Object.fromEntries(alertKinds.map((kind) => [kind, kinds.includes(kind)]));
  const turn = (changes: Partial<typeof draft>): void => {
    const on = alertKinds.filter((kind) => ({ ...draft, ...changes })[kind]);
    change({ alerts: on.length < alertKinds.length ? { ...others, kinds: on } : others });
  };
  const fields = alertKinds.map((name) => ({ name, title: kindTitles[name] }));
  return (
    <fieldset>
      <legend>Send if</legend>
      <div class="grid wide">
        <Fields of={fields} {...{ draft, change: turn }} />
      </div>
    </fieldset>
  );
}

function headingOf({ status, fault }: Schemas["AlertTest"]): string {
  if (fault === null) return `The receiver accepted the alert (HTTP ${status})`;
  if (status !== null) return `The alert was not accepted (HTTP ${status})`;
  return fault.startsWith("No answer") ? "The receiver could not be reached" : "Nothing was sent";
}

function Result({ test }: { test: Asked<Schemas["AlertTest"]> }) {
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

/** With the header's new value. A scheme alone isn’t a key. */
function receiverIn({ alerts = {}, header: { name = "", value = "" } = {} }: Draft) {
  const { webhookUrl = "", format = "webhook", body = "" } = alerts;
  const key = value.trim();
  const header = key !== "" && key !== "Bearer" && { header: { name, value: key } };
  return { webhookUrl, format, ...(format === "custom" && { body, ...header }) };
}

const path = "/admin/v1/tenants/{tenant}/policy";
const mapped = (answer: Asked<Schemas["Policy"]>): Asked<Draft> => {
  if (!answer.ok) return answer;
  const { alerts = {} } = answer.value;
  return { ...answer, value: { alerts, header: { name: "Authorization" } } };
};

async function write({ value, patch, tag }: Changed<Draft>): Promise<Asked<Draft>> {
  const { webhookUrl: url, header } = receiverIn(value);
  if (header !== undefined) {
    const body = { url, ...header };
    const put = await api.PUT("/admin/v1/tenants/{tenant}/webhooks/headers", { body });
    if (!put.ok) return put;
  }
  const { header: _, ...body } = patch;
  return mapped(await api.PATCH(path, { ifMatch: tag, body }));
}

function ReceiverFields({ draft, ...its }: Editing<Draft>) {
  const { webhookUrl, format } = receiverIn(draft);
  const [former] = useState(webhookUrl);
  const change: Editing<Draft>["change"] = (changes) => {
    const url = changes.alerts?.webhookUrl ?? webhookUrl;
    const known = url === webhookUrl ? undefined : hosts.find(([host]) => host.test(url))?.[1];
    its.change(known ? { ...changes, alerts: { ...changes.alerts, format: known } } : changes);
  };
  return (
    <>
      <div class="grid">
        <Fields of={receiverFields} {...{ draft, change }} />
      </div>
      {former !== "" && webhookUrl !== former && (
        <p class="notice warn">Saving replaces {former}: alerts have one receiver.</p>
      )}
      {format === "custom" && <Custom {...{ draft, change }} />}
      <Kinds {...{ draft, change }} />
    </>
  );
}

function Receiver() {
  const [test, setTest] = useState<Asked<Schemas["AlertTest"]> | "asking" | null>(null);
  const send = async (draft: Draft): Promise<void> => {
    setTest("asking");
    const body = receiverIn(draft);
    setTest(await api.POST("/admin/v1/tenants/{tenant}/alerts/test", { body }));
  };
  return (
    <Card title="Where alerts are sent" isStack>
      <Edited
        what="receiver of alerts"
        submit="Save changes"
        hint="Members of the policy, and of the request’s header."
        read={async () => mapped(await api.GET(path))}
        write={write}
        beside={(draft) => (
          <Button
            disabled={!draft?.alerts?.webhookUrl || test === "asking"}
            onClick={() => draft && void send(draft)}
          >
            {test === "asking" ? "Sending…" : "Send test alert"}
          </Button>
        )}
      >
        {(its) => <ReceiverFields {...its} />}
      </Edited>
      {test !== null && test !== "asking" && <Result test={test} />}
    </Card>
  );
}

export function Alerts() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/alerts");
  const undelivered = valueIn(paging.loading)?.undelivered ?? 0;
  return (
    <Page title="Alerts" lead="Budgets that reach a threshold, and problems that persist.">
      <div class="stack">
        <div>
          <Listed
            paging={paging}
            name="Alerts"
            columns={columns}
            keyOf={({ id }) => id}
            empty={
              <>
                No alerts. A single failed check isn’t an alert; see{" "}
                <a href={ownPath("/credentials")}>Credentials</a> and{" "}
                <a href={ownPath("/servers")}>Servers</a>.
              </>
            }
          />
        </div>
        {undelivered > 0 && (
          <p class="notice warn">
            Not delivered to your webhook: {count(undelivered)}. The messages below say why.
          </p>
        )}
        <Receiver />
        <Webhooks />
      </div>
    </Page>
  );
}
