import { useState } from "preact/hooks";
import {
  alertFormats,
  alertKinds,
  alertPlaceholders,
  defaultThresholds,
  type AlertFormat,
  type AlertKind,
} from "../../domain/alerts.ts";
import { api, type Schemas } from "../api.ts";
import { useRead } from "../load.ts";
import { Check, Fields, Form, type Editing, type FieldOf } from "../parts/form.tsx";
import { Button, Card, ProblemNotice, There } from "../parts/page.tsx";
import type { Asked } from "../problem.ts";
import { emailApis } from "./email-apis.ts";

type Policy = Schemas["Policy"];

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

const thresholdsIn = (text: string): number[] => [
  ...new Set(text.split(/[,\s]+/).flatMap((each) => (each === "" ? [] : [Number(each)]))),
];

const draftOf = ({ alerts = {} }: Policy) => ({
  webhookUrl: alerts.webhookUrl ?? "",
  format: alerts.format ?? "webhook",
  thresholds: (alerts.thresholds ?? defaultThresholds).join(", "),
  kinds: alerts.kinds ?? alertKinds,
  body: alerts.body ?? "",
  headerName: "Authorization",
  headerValue: "",
});
type Draft = Omit<ReturnType<typeof draftOf>, "format" | "kinds"> & {
  format: AlertFormat;
  kinds: readonly AlertKind[];
};

const receiverFields: readonly FieldOf<Draft>[] = [
  { name: "webhookUrl", title: "URL", type: "url", placeholder: "Alerts are only listed here" },
  {
    name: "format",
    title: "Receiver",
    options: alertFormats.map((each) => [each, formatTitles[each]]),
  },
  {
    name: "thresholds",
    title: "Budget thresholds (%)",
    pattern: "[0-9,\\s]*",
    hint: "Of each budget, for example 50, 80, 100.",
  },
];
const bodyField: FieldOf<Draft> = {
  name: "body",
  title: "Message (JSON)",
  rows: 8,
  isCode: true,
  hint: `Replaced in its texts: ${alertPlaceholders.map((each) => `{${each}}`).join(", ")}.`,
};
const headerFields = ({ name, origin }: Schemas["WebhookHeader"]): FieldOf<Draft>[] => [
  { name: "headerName", title: "Header with your key" },
  {
    name: "headerValue",
    title: "Its value",
    type: "password",
    hint: origin === null ? "Stored encrypted." : `Leave blank to keep ${name} for ${origin}.`,
  },
];

function Custom({ draft, change }: Editing<Draft>) {
  const loading = useRead("/admin/v1/tenants/{tenant}/webhooks/header");
  return (
    <fieldset>
      <legend>The API’s request</legend>
      <p class="buttons">
        Fill in for:
        {emailApis.map(({ name, url, header: headerName, scheme, body }) => (
          <Button
            key={name}
            class="quiet"
            onClick={() =>
              change({
                webhookUrl: url,
                headerName,
                headerValue: scheme,
                body: JSON.stringify(body, null, 2),
              })
            }
          >
            {name}
          </Button>
        ))}
      </p>
      <There what="the header" loading={loading}>
        {(header) => (
          <div class="grid">
            <Fields of={headerFields(header)} {...{ draft, change }} />
          </div>
        )}
      </There>
      <Fields of={[bodyField]} {...{ draft, change }} path="alerts." />
    </fieldset>
  );
}

const Kinds = ({ draft: { kinds }, change }: Editing<Draft>) => (
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

type Tested = Asked<Schemas["AlertTest"]> | "asking" | null;

/** Why the last test alert was not delivered. */
const faultIn = (test: Tested): string | null =>
  test === null || test === "asking" ? null : test.ok ? test.value.fault : test.problem.detail;

function headingOf({ status, fault }: Schemas["AlertTest"]): string {
  if (fault === null) return `The receiver accepted the alert (HTTP ${status})`;
  if (status !== null) return `The alert was not accepted (HTTP ${status})`;
  return fault.startsWith("No answer") ? "The receiver could not be reached" : "Nothing was sent";
}

function Result({ test }: { test: Exclude<Tested, "asking" | null> }) {
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

/** A scheme alone isn’t a key. */
const headerIn = ({ format, headerName: name, headerValue }: Draft) => {
  const value = headerValue.trim();
  return format === "custom" && value !== "" && value !== "Bearer" ? { name, value } : null;
};

function testOf(draft: Draft) {
  const { webhookUrl, format, body } = draft;
  const header = headerIn(draft);
  return api.POST("/admin/v1/tenants/{tenant}/alerts/test", {
    body: {
      webhookUrl,
      format,
      ...(format === "custom" && { body, ...(header !== null && { header }) }),
    },
  });
}

async function saved(draft: Draft, tag: string | null): Promise<Asked<unknown>> {
  const { webhookUrl, format, kinds, body, thresholds } = draft;
  const header = headerIn(draft);
  if (header !== null) {
    const url = { url: webhookUrl, ...header };
    const put = await api.PUT("/admin/v1/tenants/{tenant}/webhooks/header", { body: url });
    if (!put.ok) return put;
  }
  const alerts = {
    webhookUrl: webhookUrl === "" ? null : webhookUrl,
    format: format === "webhook" ? null : format,
    body: format === "custom" ? body : null,
    thresholds: thresholdsIn(thresholds),
    kinds: kinds.length === alertKinds.length ? null : kinds,
  };
  return api.PATCH("/admin/v1/tenants/{tenant}/policy", { ifMatch: tag, body: { alerts } });
}

export interface Saved {
  tone: "good" | "warn";
  text: string;
}

interface ReceiverProps {
  policy: Policy;
  tag: string | null;
  onTest: () => void;
  onDone: (saved: Saved | null) => void;
}

export function Receiver({ policy, tag, onTest, onDone }: ReceiverProps) {
  const former = policy.alerts?.webhookUrl ?? "";
  const [draft, setDraft] = useState<Draft>(draftOf(policy));
  const [test, setTest] = useState<Tested>(null);
  const change: Editing<Draft>["change"] = (changes) => {
    const known = hosts.find(([host]) => host.test(changes.webhookUrl ?? ""))?.[1];
    setDraft({ ...draft, ...(known !== undefined && { format: known }), ...changes } as Draft);
  };
  const send = async (): Promise<void> => {
    onTest();
    setTest("asking");
    setTest(await testOf(draft));
  };
  const done = (): void => {
    const fault = faultIn(test);
    if (fault !== null)
      onDone({ tone: "warn", text: `Saved, but the last test alert was not delivered. ${fault}` });
    else if (draft.webhookUrl === "")
      onDone({ tone: "good", text: "Saved. Alerts are only listed here." });
    else onDone({ tone: "good", text: "Saved. Alerts are sent there from now on." });
  };
  return (
    <Card title="Where alerts are sent" isStack>
      <Form
        submit="Save changes"
        act={() => saved(draft, tag)}
        onDone={done}
        reload={() => onDone(null)}
      >
        <div class="grid">
          <Fields of={receiverFields} {...{ draft, change }} path="alerts." />
        </div>
        {former !== "" && draft.webhookUrl !== former && (
          <p class="notice warn">Saving replaces {former}: alerts have one receiver.</p>
        )}
        {draft.format === "custom" && <Custom {...{ draft, change }} />}
        <Button disabled={draft.webhookUrl === "" || test === "asking"} onClick={() => void send()}>
          {test === "asking" ? "Sending…" : "Send test alert"}
        </Button>
        {test !== null && test !== "asking" && <Result test={test} />}
        <Kinds {...{ draft, change }} />
      </Form>
    </Card>
  );
}
