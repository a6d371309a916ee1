import { causeOf } from "../../domain/alert-messages.ts";
import { Receivers } from "../alerts/receivers.tsx";
import type { Schemas } from "../api.ts";
import { column, type Column } from "../parts/columns.tsx";
import { ListPage, usePaging } from "../parts/list-page.tsx";
import { Badge } from "../parts/page.tsx";
import { Webhooks } from "../parts/webhooks.tsx";
import { ownPath } from "../place.ts";

const tones = { info: "busy", warning: "warn", critical: "bad" } as const;
const states = { delivered: "Sent to", pending: "Pending:", failed: "Failed:" } as const;

const deliveryText = ({ state, origin, status, fault }: Schemas["AlertDelivery"]): string => {
  const answer = status === null ? fault?.replace(/^No answer.*/, "no answer") : `HTTP ${status}`;
  const why = fault === null ? "" : ` (${answer})`;
  return `${states[state]} ${origin.replace(/^https?:\/\//, "")}${why}`;
};

const columns: readonly Column<Schemas["Alert"]>[] = [
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
  column.text("Delivery", ({ deliveries }) =>
    deliveries?.length === 0 ? "Only listed" : deliveries?.map(deliveryText).join("; "),
  ),
  column.time("Not repeated until", ({ periodUntil }) => periodUntil),
];

export const Alerts = () => (
  <ListPage
    title="Alerts"
    lead="Budgets that reach a threshold, and problems that persist."
    paging={usePaging("/admin/v1/tenants/{tenant}/alerts")}
    columns={columns}
    nameOf={({ text }) => text}
    empty={
      <>
        No alerts. A single failed check isn’t an alert; see{" "}
        <a href={ownPath("/credentials")}>Credentials</a> and{" "}
        <a href={ownPath("/servers")}>Servers</a>.
      </>
    }
    below={
      <>
        <Receivers />
        <Webhooks />
      </>
    }
  />
);
