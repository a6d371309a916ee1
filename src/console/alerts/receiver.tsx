import { Button, Card } from "../parts/card.tsx";
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
import { Fields, type FieldOf } from "../parts/fields.tsx";
import { Check, Form } from "../parts/form.tsx";
import { There } from "../parts/notice.tsx";
import type { Asked } from "../problem.ts";
import { emailApis } from "./email-apis.ts";
import { TestResult } from "./test-result.tsx";

type Policy = Schemas["Policy"];
type Header = Schemas["WebhookHeader"];

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
  {
    name: "webhookUrl",
    title: "URL",
    type: "url",
    placeholder: "Alerts are only listed here",
  },
  {
    name: "format",
    title: "Receiver",
    options: alertFormats.map((each) => [each, formatTitles[each]]),
  },
  {
    name: "thresholds",
    title: "Budget thresholds (%)",
    hint: "Of each budget, for example 50, 80, 100.",
  },
];

const customFields = ({ name, origin }: Header): readonly FieldOf<Draft>[] => [
  { name: "headerName", title: "Header with your key" },
  {
    name: "headerValue",
    title: "Its value",
    type: "password",
    hint: origin === null ? "Stored encrypted." : `Leave blank to keep ${name} for ${origin}.`,
  },
];
const bodyField: readonly FieldOf<Draft>[] = [
  {
    name: "body",
    title: "Message (JSON)",
    rows: 8,
    isCode: true,
    hint: `Replaced in its texts: ${alertPlaceholders.map((each) => `{${each}}`).join(", ")}.`,
  },
];

interface PartProps {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
}

function Custom({ draft, change }: PartProps) {
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
            <Fields of={customFields(header)} {...{ draft, change }} />
          </div>
        )}
      </There>
      <Fields of={bodyField} {...{ draft, change }} path="alerts." />
    </fieldset>
  );
}

const Kinds = ({ draft: { kinds }, change }: Pick<PartProps, "draft" | "change">) => (
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

interface Tested {
  onTest: (hasFailed: boolean) => void;
}

/** A scheme alone isn’t a key. */
const headerIn = ({ format, headerName: name, headerValue }: Draft) => {
  const value = headerValue.trim();
  return format === "custom" && value !== "" && value !== "Bearer" ? { name, value } : null;
};

function SendTest({ draft, onTest }: { draft: Draft } & Tested) {
  const [test, setTest] = useState<Asked<Schemas["AlertTest"]> | "asking" | null>(null);
  const { webhookUrl, format } = draft;
  const send = async (): Promise<void> => {
    setTest("asking");
    const header = headerIn(draft);
    const custom = { body: draft.body, ...(header !== null && { header }) };
    const body = { webhookUrl, format, ...(format === "custom" && custom) };
    const found = await api.POST("/admin/v1/tenants/{tenant}/alerts/test", {
      body,
    });
    setTest(found);
    onTest(!found.ok || found.value.fault !== null);
  };
  return (
    <>
      <p>
        <Button disabled={webhookUrl === "" || test === "asking"} onClick={() => void send()}>
          {test === "asking" ? "Sending…" : "Send test alert"}
        </Button>
      </p>
      {test !== null && test !== "asking" && <TestResult test={test} />}
    </>
  );
}

interface ReceiverProps extends Tested {
  policy: Policy;
  tag: string | null;
  onDone: () => void;
}

async function saved({ tag }: ReceiverProps, draft: Draft): Promise<Asked<unknown>> {
  const { webhookUrl, format, kinds, body } = draft;
  const thresholds = thresholdsIn(draft.thresholds);
  if (thresholds === null) return notNumbers;
  const header = headerIn(draft);
  const put =
    header === null
      ? null
      : await api.PUT("/admin/v1/tenants/{tenant}/webhooks/header", {
          body: { url: webhookUrl, ...header },
        });
  if (put?.ok === false) return put;
  const alerts = {
    webhookUrl: webhookUrl === "" ? null : webhookUrl,
    format: format === "webhook" ? null : format,
    body: format === "custom" ? body : null,
    thresholds,
    kinds: kinds.length === alertKinds.length ? null : kinds,
  };
  return api.PATCH("/admin/v1/tenants/{tenant}/policy", { ifMatch: tag, body: { alerts } });
}

export function Receiver(props: ReceiverProps) {
  const { policy, onTest, onDone } = props;
  const [draft, setDraft] = useState<Draft>(draftOf(policy));
  const change = ({ webhookUrl, ...rest }: Partial<Draft>): void => {
    const known = hosts.find(([host]) => host.test(webhookUrl ?? ""))?.[1];
    const url = webhookUrl === undefined ? {} : { webhookUrl };
    setDraft({ ...draft, ...url, ...(known !== undefined && { format: known }), ...rest });
  };
  const save = async () => {
    const done = await saved(props, draft);
    if (done.ok) onDone();
    return done;
  };
  return (
    <Card title="Where alerts are sent" isStack>
      <Form submit="Save changes" act={save} reload={onDone}>
        <div class="grid">
          <Fields of={receiverFields} {...{ draft, change }} path="alerts." />
        </div>
        {draft.format === "custom" && <Custom {...{ draft, change }} />}
        <Kinds {...{ draft, change }} />
        <SendTest {...{ draft, onTest }} />
      </Form>
    </Card>
  );
}
