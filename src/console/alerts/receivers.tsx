import type { VNode } from "preact";
import { useState } from "preact/hooks";
import {
  alertKinds,
  alertPlaceholders,
  defaultThresholds,
  maxReceivers,
  type AlertFormat,
} from "../../domain/alerts.ts";
import { troubles } from "../../domain/alert-messages.ts";
import { api, type Schemas } from "../api.ts";
import { useLoaded, useRead, valueIn } from "../load.ts";
import { Edited, type Changed } from "../parts/edited.tsx";
import { Fields, useFaults, type Editing, type FieldOf } from "../parts/form.tsx";
import { Button, Card, There } from "../parts/page.tsx";
import type { Asked } from "../problem.ts";
import { emailApis } from "./email-apis.ts";

/** `header` and `isNew` aren’t part of the policy. */
type Receiver = Schemas["AlertReceiver"] & { header?: Record<string, string>; isNew?: true };
type Draft = { alerts?: Omit<Schemas["AlertRule"], "receivers"> & { receivers?: Receiver[] } };

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

const thresholdField: FieldOf<Draft> = {
  name: "alerts.thresholds",
  title: "Budget thresholds (%)",
  as: "numbers",
  pattern: "[0-9.,\\s]*",
  placeholder: defaultThresholds.join(", "),
  hint: "Of each budget, separated by commas.",
};
const receiverFields: readonly FieldOf<Receiver>[] = [
  { name: "webhookUrl", title: "URL", type: "url" },
  { name: "format", title: "Format", options: Object.entries(formatTitles), byDefault: "webhook" },
];
const bodyField: FieldOf<Receiver> = {
  name: "body",
  title: "Message (JSON)",
  rows: 8,
  isCode: true,
  hint: `Replaced in its texts: ${alertPlaceholders.map((each) => `{${each}}`).join(", ")}.`,
};
const headerFields = (kept: Schemas["WebhookHeader"] | undefined): FieldOf<Receiver>[] => [
  { name: "header.name", title: "Header with your key", byDefault: "Authorization" },
  {
    name: "header.value",
    title: "Its value",
    type: "password",
    hint: kept ? `Leave blank to keep ${kept.name} for ${kept.origin}.` : "Stored encrypted.",
  },
];

type ReceiverProps = Editing<Receiver> & { path: string; raised: number[]; children: VNode[] };

function Custom({ path, draft, change }: Omit<ReceiverProps, "raised" | "children">) {
  const stored = valueIn(useRead("/admin/v1/tenants/{tenant}/webhooks/headers"))?.data;
  const kept = stored?.find(({ origin }) => origin === URL.parse(draft.webhookUrl)?.origin);
  return (
    <fieldset>
      <legend>The API’s request</legend>
      <p class="buttons">
        Fill in for:
        {emailApis.map(({ name, url: webhookUrl, header, body }) => (
          <Button
            key={name}
            class="quiet"
            onClick={() => change({ webhookUrl, header, body: JSON.stringify(body, null, 2) })}
          >
            {name}
          </Button>
        ))}
      </p>
      <div class="grid">
        <Fields of={headerFields(kept)} {...{ draft, change }} />
      </div>
      <Fields of={[bodyField]} {...{ path, draft, change }} />
    </fieldset>
  );
}

/** @param props.raised thresholds of the policy */
function ReceiverFields({ raised, path, draft, change, children }: ReceiverProps) {
  const { format, kinds = alertKinds, thresholds = raised } = draft;
  const shares = kinds.includes("budget_crossed") ? thresholds : [];
  const on = new Set<string>([...kinds, ...shares.map(String)]);
  const wantable = [
    ...raised.map((share) => ({ name: `${share}`, title: `A budget reaches ${share}%` })),
    ...Object.entries(troubles).map(([name, text]) => ({
      name,
      title: text.replace(/:$| of$/, ""),
    })),
  ];
  const wanted = Object.fromEntries(wantable.map(({ name }) => [name, on.has(name)]));
  const turn = (changes: Partial<typeof wanted>): void => {
    const now = { ...wanted, ...changes };
    const at = raised.filter((share) => now[share]);
    const sent = alertKinds.filter((kind) => now[kind] ?? at.length > 0);
    change({
      kinds: sent.length < alertKinds.length ? sent : undefined,
      thresholds: at.length > 0 && at.length < raised.length ? at : undefined,
    });
  };
  const changeIts: Editing<Receiver>["change"] = (changes) => {
    const known = hosts.find(([host]) => host.test(changes.webhookUrl ?? ""))?.[1];
    change(known ? { ...changes, format: known } : changes);
  };
  return (
    <div class="stack">
      <div class="grid">
        <Fields of={receiverFields} {...{ path, draft }} change={changeIts} />
      </div>
      {format === "custom" && <Custom {...{ path, draft, change }} />}
      <fieldset>
        <legend>Send if</legend>
        <div class="grid wide">
          <Fields of={wantable} draft={wanted} change={turn} />
        </div>
      </fieldset>
      <div class="buttons">{children}</div>
    </div>
  );
}

const hostOf = ({ webhookUrl }: Receiver): string => URL.parse(webhookUrl)?.host ?? "New receiver";

/** With the header’s new value. A scheme alone isn’t a key. */
function sampleIn({ webhookUrl, format = "webhook", body = "", header = {} }: Receiver) {
  const { name = "Authorization", value = "" } = header;
  const key = value.trim();
  const its = key !== "" && key !== "Bearer" && { header: { name, value: key } };
  return { webhookUrl, format, ...(format === "custom" && { body, ...its }) };
}

/** Sends a test when it is shown, and when `at` changes. */
function Tested({ at, receiver }: { at: number; receiver: Receiver }) {
  const loading = useLoaded(`test ${at}`, () =>
    api.POST("/admin/v1/tenants/{tenant}/alerts/test", { body: sampleIn(receiver) }),
  );
  const host = hostOf(receiver);
  return (
    <There what={`the answer of ${host}`} loading={loading}>
      {({ status, fault, answer, body }) => (
        <div class={`notice ${fault === null ? "good" : "bad"}`} role="status">
          <strong ref={(each) => each?.scrollIntoView({ block: "nearest" })}>
            {host} {fault === null ? "accepted" : "did not accept"} the test alert
            {status !== null && ` (HTTP ${status})`}
          </strong>
          {fault !== null && <p>{fault}</p>}
          {answer !== "" && <pre tabIndex={0}>{answer}</pre>}
          <details>
            <summary>What was sent</summary>
            <pre tabIndex={0}>{JSON.stringify(body, null, 2)}</pre>
          </details>
        </div>
      )}
    </There>
  );
}

const path = "/admin/v1/tenants/{tenant}/policy";
const mapped = (answer: Asked<Schemas["Policy"]>): Asked<Draft> =>
  answer.ok ? { ...answer, value: { alerts: answer.value.alerts ?? {} } } : answer;

async function write({ value, tag }: Changed<Draft>): Promise<Asked<Draft>> {
  const alerts = value.alerts ?? {};
  const receivers = [alerts.receivers ?? []].flat();
  for (const receiver of receivers) {
    const { webhookUrl: url, header } = sampleIn({ ...receiver });
    const body = header && { url, ...header };
    const put = body && (await api.PUT("/admin/v1/tenants/{tenant}/webhooks/headers", { body }));
    if (put?.ok === false) return put;
  }
  const kept = receivers.map((receiver) => ({ ...receiver, header: undefined, isNew: undefined }));
  const body = { alerts: { ...alerts, thresholds: alerts.thresholds ?? null, receivers: kept } };
  return mapped(await api.PATCH(path, { ifMatch: tag, body }));
}

type ListProps = Editing<Draft> & { send: (receiver: Receiver) => void };

function List({ draft: { alerts = {} }, change, send }: ListProps) {
  const { receivers = [], thresholds = [...defaultThresholds] } = alerts;
  const faultOf = useFaults();
  const put = (next: Receiver[]): void => change({ alerts: { ...alerts, receivers: next } });
  return (
    <>
      {receivers.map((draft, at) => {
        const place = `alerts.receivers.${at}`;
        const sent = draft.kinds || draft.thresholds ? "some" : "all";
        const summary = `${formatTitles[draft.format ?? "webhook"]}, ${sent} alerts`;
        return (
          <details key={at} open={draft.isNew === true || faultOf(place) !== null}>
            <summary>
              {hostOf(draft)} <small>{summary}</small>
            </summary>
            <ReceiverFields
              {...{ draft, raised: thresholds, path: `${place}.` }}
              change={(changes) => put(receivers.with(at, { ...draft, ...changes } as Receiver))}
            >
              <Button disabled={draft.webhookUrl === ""} onClick={() => send(draft)}>
                Send test alert
              </Button>
              <Button class="danger" onClick={() => put(receivers.toSpliced(at, 1))}>
                Remove receiver
              </Button>
            </ReceiverFields>
          </details>
        );
      })}
      <div class="buttons">
        {receivers.length < maxReceivers && (
          <Button onClick={() => put([...receivers, { webhookUrl: "", isNew: true }])}>
            Add receiver
          </Button>
        )}
        <span class="faint">{receivers.length === 0 && "Alerts are only listed here."}</span>
      </div>
      <Fields of={[thresholdField]} draft={{ alerts }} change={change} />
    </>
  );
}

export function Receivers() {
  const [test, setTest] = useState<{ at: number; receiver: Receiver } | null>(null);
  return (
    <Card title="Where alerts are sent" isStack>
      <Edited
        what="receivers of alerts"
        submit="Save changes"
        hint="Members of the policy, and of requests’ headers."
        read={async () => mapped(await api.GET(path))}
        write={write}
      >
        {(its) => <List {...its} send={(receiver) => setTest({ at: Date.now(), receiver })} />}
      </Edited>
      {test && <Tested {...test} />}
    </Card>
  );
}
