import { Button } from "../parts/card.tsx";
import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { count, usdInCents } from "../format.ts";
import { useLoaded } from "../load.ts";
import { rangeAt, totalsByGroup, type Totals } from "../overview-figures.ts";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Fields } from "../parts/fields.tsx";
import { Field, Form, useDraft } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { Listed } from "../parts/listed.tsx";
import { anywhere, Residency } from "../parts/residency.tsx";
import { usePaging } from "../parts/pages.tsx";
import { RowActions } from "../parts/row-actions.tsx";
import { dayColumn, fileColumn } from "../parts/columns.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { There } from "../parts/notice.tsx";
import { tenantPath } from "../place.ts";
import { isOperator } from "../session.ts";

type Tenant = Schemas["ListedTenant"];

/** This month's usage by tenant. */
const nothing: Totals = { requests: 0, succeeded: 0, errors: 0, tokens: 0, costUsd: 0 };
const figures = [
  ["Spent", "costUsd", usdInCents],
  ["Requests", "requests", count],
  ["Failed or refused", "errors", count],
] as const;

const columns = (
  usage: ReadonlyMap<string, Totals>,
  remove: (tenant: Tenant) => void,
): Column<Tenant>[] => [
  {
    title: "Tenant",
    order: ({ name }) => name,
    show: ({ id, slug, name }) => (
      <>
        <a href={tenantPath(slug)} title={id}>
          {name}
        </a>{" "}
        {name !== slug && <code class="faint">{slug}</code>}
      </>
    ),
    text: ({ slug }) => slug,
  },
  fileColumn("Id", ({ id }) => id),
  ...figures.map(([title, of, format]): Column<Tenant> => {
    const figureOf = ({ id }: Tenant): number => (usage.get(id) ?? nothing)[of];
    return {
      title,
      isNumber: true,
      order: figureOf,
      show: (tenant) => format(figureOf(tenant)),
      text: figureOf,
      sum: (rows) => format(rows.reduce((sum, tenant) => sum + figureOf(tenant), 0)),
    };
  }),
  dayColumn("Created", ({ createdAt }) => createdAt),
  {
    title: "",
    show: (tenant) => <RowActions of={tenant.name} verbs={["Delete"]} act={() => remove(tenant)} />,
  },
];

const newFields = [
  {
    name: "slug",
    title: "Slug",
    isRequired: true,
    pattern: "[a-z0-9]([a-z0-9\\-]{0,61}[a-z0-9])?",
    hint: "Lowercase letters, digits, and hyphens. Can’t be changed later.",
  },
  { name: "name", title: "Display name" },
] as const;

function NewTenant({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const { draft, change } = useDraft({ slug: "", name: "", ...anywhere });
  const { slug, name, region, jurisdiction } = draft;
  const create = async () => {
    const body = {
      slug,
      name: name === "" ? slug : name,
      ...(region !== "" && { region }),
      ...(jurisdiction !== "" && { jurisdiction }),
    };
    const made = await api.POST("/admin/v1/tenants", { body });
    if (made.ok) route(tenantPath(slug, "/start"));
    return made;
  };
  return (
    <Dialog title="New tenant" onClose={onClose}>
      <Form submit="Create tenant" act={create} onCancel={onClose}>
        <Fields of={newFields} {...{ draft, change }} />
        <Residency {...{ draft, change }} />
      </Form>
    </Dialog>
  );
}

function RemoveTenant(props: { tenant: Tenant; onDone: () => void; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const { slug, name } = props.tenant;
  const remove = async () =>
    typed === slug
      ? api.DELETE("/admin/v1/tenants/{tenant}", { tenant: slug })
      : ({
          ok: false,
          problem: {
            status: 0,
            reason: "unconfirmed",
            title: "The name does not match",
            detail: `Type ${slug} to delete this tenant.`,
          },
        } as const);
  return (
    <Confirm title="Delete tenant" act={remove} onDone={props.onDone} onClose={props.onClose}>
      <p>
        <strong>{name}</strong> is deleted with its keys, credentials, servers, and audit records.
        This can’t be undone.
      </p>
      <Field title={`Type ${slug} to confirm`} name="slug" value={typed} onInput={setTyped} />
    </Confirm>
  );
}

type OfModel = Totals & { model: string };
const modelColumns: Column<OfModel>[] = [
  {
    title: "Model",
    show: ({ model }) => <code>{model || "no model (refused)"}</code>,
    text: ({ model }) => model,
  },
  ...figures.map(([title, of, format]): Column<OfModel> => ({
    title,
    isNumber: true,
    order: (row) => row[of],
    show: (row) => format(row[of]),
    text: (row) => row[of],
    sum: (rows) => format(rows.reduce((sum, row) => sum + row[of], 0)),
  })),
];

/** On demand: the page makes few requests. */
function UsageByModel() {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Usage of all tenants by model</summary>
      {isOpen && <ModelTable />}
    </details>
  );
}

function ModelTable() {
  const loading = useLoaded("usage of all by model", () =>
    api.GET("/admin/v1/usage", { ...rangeAt("month", Date.now()), bucket: "month", by: "model" }),
  );
  return (
    <There what="usage of all tenants" loading={loading}>
      {({ data }) => (
        <Table
          name="Usage of all tenants"
          columns={modelColumns}
          rows={Array.from(totalsByGroup(data), ([model, totals]) => ({ model, ...totals }))}
          keyOf={({ model }) => model}
          empty="No usage this month."
        />
      )}
    </There>
  );
}

export function Tenants() {
  const paging = usePaging("/admin/v1/tenants");
  const { loaded } = useLoaded("usage of all by tenant", () =>
    api.GET("/admin/v1/usage", { ...rangeAt("month", Date.now()), bucket: "month", by: "tenant" }),
  );
  const usage = totalsByGroup(loaded.state === "there" ? loaded.value.data : []);
  const [isMaking, setMaking] = useState(false);
  const [leaving, setLeaving] = useState<Tenant | null>(null);
  return (
    <Page
      title="Tenants"
      lead="Customers or teams with their own keys, credentials, limits, and records. Figures are of this month (UTC); the last minute may be missing."
      actions={
        isOperator.value && (
          <Button class="main" onClick={() => setMaking(true)}>
            New tenant
          </Button>
        )
      }
    >
      <Listed
        what="tenants"
        paging={paging}
        name="Tenants"
        columns={columns(usage, setLeaving)}
        keyOf={({ id }) => id}
        empty="No tenants yet. Create one to start."
      />
      <UsageByModel />
      {isMaking && <NewTenant onClose={() => setMaking(false)} />}
      {leaving !== null && (
        <RemoveTenant
          tenant={leaving}
          onClose={() => setLeaving(null)}
          onDone={() => {
            setLeaving(null);
            void paging.loading.again();
          }}
        />
      )}
    </Page>
  );
}
