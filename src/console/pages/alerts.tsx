import { useState } from "preact/hooks";
import { causeOf } from "../../domain/alert-messages.ts";
import type { Schemas } from "../api.ts";
import { useRead } from "../load.ts";
import { Receiver } from "../alerts/receiver.tsx";
import { Badge, There } from "../parts/notice.tsx";
import { Listed } from "../parts/listed.tsx";
import { Page } from "../parts/page.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { Webhooks } from "../parts/webhooks.tsx";
import { ownPath } from "../place.ts";
import { mayChange } from "../session.ts";

type Alert = Schemas["Alert"];

const tones = { info: "busy", warning: "warn", critical: "bad" } as const;

const columnsOf = (): Column<Alert>[] => [
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
    show: (alert) => <a href={ownPath(causeOf(alert))}>{alert.text}</a>,
    text: ({ text }) => text,
  },
  {
    title: "Muted until",
    show: ({ periodUntil }) => <Time at={periodUntil} />,
    text: ({ periodUntil }) => isoOf(periodUntil),
  },
];

export function Alerts() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/alerts");
  const policy = useRead("/admin/v1/tenants/{tenant}/policy");
  const [isSaved, setSaved] = useState(false);
  const [isUndelivered, setUndelivered] = useState(false);
  const done = async (): Promise<void> => {
    await policy.again();
    setSaved(true);
  };
  return (
    <Page title="Alerts" lead="Budgets that reach a threshold, and problems that persist.">
      <div class="stack">
        <div>
          <Listed
            what="alerts"
            paging={paging}
            name="Alerts"
            columns={columnsOf()}
            keyOf={({ id }) => id}
            empty="No alerts: no budget reached a threshold, and no problem persisted. A single failed check isn’t an alert; Credentials and Servers show it."
          />
        </div>
        {mayChange.value && (
          <There what="the policy" loading={policy}>
            {(found, { tag }) => (
              <Receiver
                key={tag}
                {...{ policy: found, tag }}
                onTest={setUndelivered}
                onDone={() => void done()}
              />
            )}
          </There>
        )}
        {isSaved && (
          <p class={`notice ${isUndelivered ? "warn" : "good"}`} role="status">
            {isUndelivered
              ? "Saved, but the last test alert was not delivered."
              : "Saved. Alerts are sent there from now on."}
          </p>
        )}
        <Webhooks />
      </div>
    </Page>
  );
}
