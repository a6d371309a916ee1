import { useState } from "preact/hooks";
import { api, asked } from "../api.ts";
import { count, usd } from "../format.ts";
import { useLoaded } from "../load.ts";
import { totalsOf, type Totals, type UsageRow } from "../overview-figures.ts";
import { Choice } from "../parts/form.tsx";
import { Named, type Names } from "../parts/named.tsx";
import { There } from "../parts/notice.tsx";
import { Table, type Column } from "../parts/table.tsx";

type Grouping = "tenant" | "model";
type Sum = Totals & { group: string };

const groupings = [
  ["tenant", "tenant"],
  ["model", "model"],
] as const;

function sumsOf(rows: readonly UsageRow[]): Sum[] {
  const groups = Map.groupBy(rows, ({ group }) => group);
  return [...groups]
    .map(([group, its]) => ({ group, ...totalsOf(its) }))
    .toSorted((one, other) => other.costUsd - one.costUsd || other.requests - one.requests);
}

const idColumn: Column<Sum> = {
  title: "Id",
  show: ({ group }) => <code>{group}</code>,
  text: ({ group }) => group,
};

const columnsOf = (by: Grouping, names: Names): Column<Sum>[] => [
  {
    title: by === "tenant" ? "Tenant" : "Model",
    show: ({ group }) => <Named id={group} names={names} />,
    text: ({ group }) => names[group] ?? group,
  },
  // Tenants may share a name.
  ...(by === "tenant" ? [idColumn] : []),
  {
    title: "Requests",
    isNumber: true,
    show: ({ requests }) => count(requests),
    text: ({ requests }) => requests,
  },
  {
    title: "Failed or refused",
    isNumber: true,
    show: ({ errors }) => count(errors),
    text: ({ errors }) => errors,
  },
  {
    title: "Tokens",
    isNumber: true,
    show: ({ tokens }) => count(tokens),
    text: ({ tokens }) => tokens,
  },
  {
    title: "Spent",
    isNumber: true,
    show: ({ costUsd }) => usd(costUsd),
    text: ({ costUsd }) => costUsd,
  },
];

export function UsageOfAll() {
  const [by, group] = useState<Grouping>("tenant");
  const loading = useLoaded(`usage of all by ${by}`, () =>
    asked(api.GET("/admin/v1/usage", { params: { query: { bucket: "day", by } } })),
  );
  return (
    <section class="card">
      <h2>Usage in the last 30 days</h2>
      <p class="faint">A tenant’s last minute may be missing.</p>
      <div class="filters">
        <Choice title="Totals by" name="by" value={by} options={groupings} onInput={group} />
      </div>
      <There what="usage of all tenants" loading={loading}>
        {({ data, names = {} }) => (
          <Table
            name="Usage of all tenants"
            columns={columnsOf(by, names)}
            rows={sumsOf(data)}
            keyOf={(row) => row.group}
            empty="No usage in the last 30 days."
          />
        )}
      </There>
    </section>
  );
}
