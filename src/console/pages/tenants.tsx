import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { regionTitles } from "../../domain/tenancy/residency.ts";
import { jurisdictionTitles } from "../../domain/tenancy/tenant-databases.ts";
import { api, type Schemas } from "../api.ts";
import { usdInCents } from "../format.ts";
import { useLoaded, valueIn } from "../load.ts";
import { given } from "../members.ts";
import { rangeAt, totalsByGroup, type Totals } from "../overview-figures.ts";
import { column, type Column } from "../parts/columns.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { Field, Fields, useDraft, type FieldOf } from "../parts/form.tsx";
import { ListPage, NoMatch, usePaging, type Ends } from "../parts/list-page.tsx";
import { Change } from "../parts/spend.tsx";
import { tenantPath } from "../place.ts";
import { isOperator } from "../session.ts";

type NewTenant = Schemas["TenantInput"];

/** Routers without placement reject both. */
const placeFields: readonly FieldOf<NewTenant>[] = [
  {
    name: "region",
    title: "Region",
    options: [["", "Near its first caller"], ...Object.entries(regionTitles)],
    hint: "Its database is created near this region.",
  },
  {
    name: "jurisdiction",
    title: "Jurisdiction",
    options: [["", "None"], ...Object.entries(jurisdictionTitles)],
    hint: "Its data stays there.",
  },
];

type Tenant = Schemas["ListedTenant"];
type Usage = ReadonlyMap<string, Totals>;

const nothing: Totals = { requests: 0, errors: 0, tokens: 0, costUsd: 0 };

/** Of this month until now, or of the same time before. */
const useUsage = (isBefore: boolean) =>
  useLoaded(`usage of all ${isBefore}`, () => {
    const { from, to } = rangeAt("month", Date.now());
    const range = isBefore ? { from: from - (to - from), to: from } : { from, to };
    return api.GET("/admin/v1/usage", { ...range, bucket: "month", by: "tenant" });
  });

function columnsOf(now: Usage, before: Usage): Column<Tenant>[] {
  const of = ({ id }: Tenant): Totals => now.get(id) ?? nothing;
  const spentBefore = ({ id }: Tenant): number => before.get(id)?.costUsd ?? 0;
  return [
    {
      ...column.text<Tenant>("Tenant", ({ slug }) => slug),
      order: ({ name }) => name,
      show: ({ id, slug, name }) => [
        <a href={tenantPath(slug)} title={id}>
          {name}
        </a>,
        " ",
        name !== slug && <code class="wraps faint">{slug}</code>,
      ],
    },
    column.file("Id", ({ id }) => id),
    column.sum("Spent", (tenant) => of(tenant).costUsd, usdInCents),
    {
      title: "Trend",
      isNumber: true,
      isOptional: true,
      order: (tenant) => of(tenant).costUsd - spentBefore(tenant),
      show: (tenant) => <Change now={of(tenant).costUsd} before={spentBefore(tenant)} />,
      text: (tenant) => spentBefore(tenant) || null,
    },
    column.sum("Requests", (tenant) => of(tenant).requests),
    column.sum("Failed or refused", (tenant) => of(tenant).errors),
    column.day("Created", ({ createdAt }) => createdAt),
  ];
}

const newFields: readonly FieldOf<NewTenant>[] = [
  {
    name: "slug",
    title: "Slug",
    isRequired: true,
    pattern: "[a-z0-9]([a-z0-9\\-]{0,61}[a-z0-9])?",
    hint: "Lowercase letters, digits, and hyphens. Can’t be changed later.",
  },
  { name: "name", title: "Display name" },
];

function Create({ onClose }: Ends) {
  const { route } = useLocation();
  const its = useDraft<NewTenant>({ slug: "", name: "" });
  const { slug, name } = its.draft;
  const body = { ...given(its.draft), slug, name: name || slug };
  return (
    <FormDialog
      title="New tenant"
      submit="Create tenant"
      act={() => api.POST("/admin/v1/tenants", { body })}
      onDone={() => route(tenantPath(slug, "/start"))}
      {...{ onClose }}
    >
      <Fields of={newFields} {...its} />
      <details>
        <summary>Data location (can’t be changed later)</summary>
        <Fields of={placeFields} {...its} />
      </details>
    </FormDialog>
  );
}

function TypedSlug({ slug }: Tenant) {
  const [typed, onInput] = useState("");
  const title = `Type ${slug} to confirm`;
  return <Field {...{ title, name: "slug", value: typed, onInput, pattern: slug }} isRequired />;
}

export function Tenants() {
  const paging = usePaging("/admin/v1/tenants", { limit: 200 });
  const now = totalsByGroup(valueIn(useUsage(false))?.data ?? []);
  const before = totalsByGroup(valueIn(useUsage(true))?.data ?? []);
  const [sought, seek] = useState("");
  const wanted = sought.toLowerCase();
  return (
    <ListPage
      title="Tenants"
      lead="Customers or teams with their own keys, credentials, limits, and records. Figures are of this month (UTC)."
      paging={paging}
      columns={columnsOf(now, before)}
      nameOf={({ name }) => name}
      order={{ title: "Spent", isDescending: true }}
      keep={({ slug, name }) => `${slug} ${name}`.toLowerCase().includes(wanted)}
      empty={
        sought === "" ? "No tenants yet. Create one to start." : <NoMatch clear={() => seek("")} />
      }
      {...(isOperator.value && {
        make: { title: "New tenant", dialog: (ends: Ends) => <Create {...ends} /> },
        remove: {
          title: "Delete tenant",
          act: ({ slug: tenant }: Tenant) => api.DELETE("/admin/v1/tenants/{tenant}", { tenant }),
          question: (tenant: Tenant) => (
            <>
              <p>
                <strong>{tenant.name}</strong> is deleted with its keys, credentials, servers, and
                audit records. This can’t be undone.
              </p>
              <TypedSlug {...tenant} />
            </>
          ),
        },
      })}
    >
      <div class="filters" role="search">
        <Field title="Find" name="find" value={sought} onInput={seek} />
      </div>
    </ListPage>
  );
}
