import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { time } from "../format.ts";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Choice, Field, Form } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { Listed } from "../parts/listed.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { tenantPath } from "../place.ts";
import { isOperator } from "../session.ts";
import { UsageOfAll } from "./usage-of-all.tsx";

type Tenant = Schemas["ListedTenant"];

const columns = (remove: (tenant: Tenant) => void): Column<Tenant>[] => [
  {
    title: "Tenant",
    show: ({ slug, name }) => (
      <>
        <a href={tenantPath(slug)}>{name}</a> <code class="faint">{slug}</code>
      </>
    ),
    text: ({ slug }) => slug,
  },
  { title: "Id", show: ({ id }) => <code>{id}</code>, text: ({ id }) => id },
  {
    title: "Made",
    show: ({ createdAt }) => time(createdAt),
    text: ({ createdAt }) => new Date(createdAt).toISOString(),
  },
  {
    title: "",
    show: (tenant) => (
      <button
        type="button"
        class="quiet danger"
        aria-label={`Delete ${tenant.name}`}
        onClick={() => remove(tenant)}
      >
        Delete
      </button>
    ),
  },
];

const regions = [
  ["", "Near its first caller"],
  ["wnam", "Western North America"],
  ["enam", "Eastern North America"],
  ["sam", "South America"],
  ["weur", "Western Europe"],
  ["eeur", "Eastern Europe"],
  ["apac", "Asia and the Pacific"],
  ["apac-ne", "North-east Asia"],
  ["apac-se", "South-east Asia"],
  ["oc", "Oceania"],
  ["afr", "Africa"],
  ["me", "Middle East"],
] as const;
const jurisdictions = [
  ["", "None"],
  ["eu", "European Union"],
  ["us", "United States"],
  ["fedramp", "FedRAMP"],
  ["fedramp-high", "FedRAMP High"],
] as const;
interface Place {
  region: (typeof regions)[number][0];
  jurisdiction: (typeof jurisdictions)[number][0];
}
const anywhere: Place = { region: "", jurisdiction: "" };

/** Routers without placement reject both. */
function Residency({ place, onInput }: { place: Place; onInput: (place: Place) => void }) {
  return (
    <details>
      <summary>Data location (Cloudflare; can’t be changed later)</summary>
      <Choice
        title="Region"
        name="region"
        value={place.region}
        options={regions}
        onInput={(region) => onInput({ ...place, region })}
        hint="Its database is created near this region."
      />
      <Choice
        title="Jurisdiction"
        name="jurisdiction"
        value={place.jurisdiction}
        options={jurisdictions}
        onInput={(jurisdiction) => onInput({ ...place, jurisdiction })}
        hint="Its data stays there."
      />
    </details>
  );
}

function NewTenant({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const [slug, setSlug] = useState("");
  const [name, setName] = useState("");
  const [place, setPlace] = useState(anywhere);
  const { region, jurisdiction } = place;
  const create = async () => {
    const body = {
      slug,
      name: name === "" ? slug : name,
      ...(region !== "" && { region }),
      ...(jurisdiction !== "" && { jurisdiction }),
    };
    const made = await asked(api.POST("/admin/v1/tenants", { body }));
    if (made.ok) route(tenantPath(slug, "/start"));
    return made;
  };
  return (
    <Dialog title="New tenant" onClose={onClose}>
      <Form submit="Create tenant" act={create} onCancel={onClose}>
        {(faultOf) => (
          <>
            <Field
              title="Slug"
              name="slug"
              value={slug}
              onInput={setSlug}
              isRequired
              pattern="[a-z0-9]([a-z0-9\-]{0,61}[a-z0-9])?"
              hint="Lower-case letters, digits, and hyphens. Can’t be changed later."
              fault={faultOf("slug")}
            />
            <Field
              title="Display name"
              name="name"
              value={name}
              onInput={setName}
              fault={faultOf("name")}
            />
            <Residency place={place} onInput={setPlace} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

function RemoveTenant(props: { tenant: Tenant; onDone: () => void; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const { slug, name } = props.tenant;
  const remove = async () =>
    typed === slug
      ? asked(api.DELETE("/admin/v1/tenants/{tenant}", { params: { path: { tenant: slug } } }))
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

export function Tenants() {
  const paging = usePaging<Tenant>("tenants", (query) =>
    asked(api.GET("/admin/v1/tenants", { params: { query } })),
  );
  const [isMaking, setMaking] = useState(false);
  const [leaving, setLeaving] = useState<Tenant | null>(null);
  return (
    <Page
      title="Tenants"
      lead="A tenant is a customer or team with its own keys, credentials, limits, and records."
      actions={
        isOperator.value && (
          <button type="button" class="main" onClick={() => setMaking(true)}>
            New tenant
          </button>
        )
      }
    >
      <div class="stack">
        <div>
          <Listed
            what="tenants"
            paging={paging}
            name="Tenants"
            columns={columns(setLeaving)}
            keyOf={({ id }) => id}
            empty="No tenants yet. Create one to start."
          />
        </div>
        {isOperator.value && <UsageOfAll />}
      </div>
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
