import { causeOf } from "../../domain/alert-messages.ts";
import { Receiver } from "../alerts/receiver.tsx";
import type { Schemas } from "../api.ts";
import { count } from "../format.ts";
import { valueIn } from "../load.ts";
import { column, timeColumn, type Column } from "../parts/columns.tsx";
import { Listed, usePaging } from "../parts/list-page.tsx";
import { Badge, Page } from "../parts/page.tsx";
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
