import { useState } from "preact/hooks";
import { causeOf } from "../../domain/alert-messages.ts";
import { Receiver, type Saved } from "../alerts/receiver.tsx";
import type { Schemas } from "../api.ts";
import { count } from "../format.ts";
import { useRead, valueIn } from "../load.ts";
import { column, timeColumn, type Column } from "../parts/columns.tsx";
import { Listed, usePaging } from "../parts/list-page.tsx";
import { Badge, ForRole, Page, There } from "../parts/page.tsx";
import { Webhooks } from "../parts/webhooks.tsx";
import { ownPath } from "../place.ts";

type Alert = Schemas["Alert"];

const tones = { info: "busy", warning: "warn", critical: "bad" } as const;

const columns: readonly Column<Alert>[] = [
  column(
    "Alert",
    ({ text }) => text,
    (alert) => <a href={ownPath(causeOf(alert))}>{alert.text}</a>,
  ),
  {
    title: "Severity",
    order: ({ severity }) => -Object.keys(tones).indexOf(severity),
    show: ({ severity }) => <Badge word={severity} tone={tones[severity]} />,
    text: ({ severity }) => severity,
  },
  timeColumn("When", ({ at }) => at),
  timeColumn("Not repeated until", ({ periodUntil }) => periodUntil),
];

export function Alerts() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/alerts");
  const policy = useRead("/admin/v1/tenants/{tenant}/policy");
  const [saved, setSaved] = useState<Saved | null>(null);
  /** The form begins again with what was saved, so this is said after that. */
  const show = async (done: Saved | null): Promise<void> => {
    await policy.again();
    setSaved(done);
  };
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
        <ForRole without="doesn’t change where alerts are sent">
          <There what="the policy" loading={policy}>
            {(found, { tag }) => (
              <Receiver
                key={tag}
                {...{ policy: found, tag }}
                onTest={() => setSaved(null)}
                onDone={(done) => void show(done)}
              />
            )}
          </There>
        </ForRole>
        {saved !== null && (
          <p class={`notice ${saved.tone}`} role="status">
            {saved.text}
          </p>
        )}
        <Webhooks />
      </div>
    </Page>
  );
}
