import { api, asked, type Schemas } from "../api.ts";
import { percent, usdInCents } from "../format.ts";
import { limitTitle } from "../limit-titles.ts";
import { There } from "../parts/notice.tsx";
import { Named, type Names } from "../parts/named.tsx";
import { Page } from "../parts/page.tsx";
import { Steps, usePaging } from "../parts/pages.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";

type Alert = Schemas["Alert"];

const texts: Record<Alert["kind"], string> = {
  budget_crossed: "Budget",
  credential_failing: "A provider rejects a credential’s key",
  circuit_open: "Calls fail; the circuit is open",
  server_failing: "A server rejects the router’s sign-in",
  seals_stopped: "Records are not sealed",
  sink_behind: "The audit sink rejects sealed records",
};

function whatOf({ kind, name, share, used, limit }: Alert): string {
  if (kind !== "budget_crossed") return texts[kind];
  const budget = limitTitle(name ?? "");
  const figures = `${usdInCents(used ?? 0)} of ${usdInCents(limit ?? 0)} used`;
  // 100 also covers a refused call while something is left.
  return share === 100 && (used ?? 0) < (limit ?? 0)
    ? `A call exceeded ${budget}: ${figures}`
    : `${percent((share ?? 0) / 100)} of ${budget}: ${figures}`;
}

const columnsOf = (names: Names): Column<Alert>[] => [
  { title: "When", show: ({ at }) => <Time at={at} />, text: ({ at }) => isoOf(at) },
  { title: "What", show: whatOf, text: whatOf },
  {
    title: "Of what",
    show: ({ subject }) => <Named id={subject} names={names} />,
    text: ({ subject }) => subject,
  },
  {
    title: "Muted until",
    show: ({ periodUntil }) => (periodUntil === null ? "–" : <Time at={periodUntil} />),
    text: ({ periodUntil }) => (periodUntil === null ? null : isoOf(periodUntil)),
  },
];

export function Alerts({ params: { tenant } }: { params: { tenant: string } }) {
  const { loading, cursor, go } = usePaging<Alert, { names: Names }>(
    `alerts of ${tenant}`,
    (query) =>
      asked(api.GET("/admin/v1/tenants/{tenant}/alerts", { params: { path: { tenant }, query } })),
  );
  return (
    <Page
      title="Alerts"
      lead="Budgets that are nearly used up, and failures. Set thresholds and addresses in “alerts” of the policy (“Show as JSON”)."
    >
      <There what="alerts" loading={loading}>
        {({ data, nextCursor, names }) => (
          <Table
            name="Alerts"
            columns={columnsOf(names)}
            rows={data}
            keyOf={({ id }) => id}
            empty="No alerts. All budgets, credentials, servers, seals, and the audit sink are fine."
            foot={<Steps cursor={cursor} next={nextCursor} go={go} />}
          />
        )}
      </There>
    </Page>
  );
}
