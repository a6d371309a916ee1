import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Field, Form } from "../parts/form.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { IdentityProvider } from "../people/identity-provider.tsx";
import { tenantPath } from "../place.ts";
import { mayChange } from "../session.ts";

type User = Schemas["User"];

const columnsOf = (tenant: string, forget: (user: User) => void): Column<User>[] => [
  {
    title: "Person",
    show: ({ id, name }) => <span title={id}>{name ?? <code>{id.slice(0, 12)}…</code>}</span>,
    text: ({ id, name }) => name ?? id,
  },
  {
    title: "Programs act as",
    show: ({ keyId }) => (
      <a href={`${tenantPath(tenant, "/requests")}?key=${encodeURIComponent(keyId)}`}>
        <code>{keyId}</code>
      </a>
    ),
    text: ({ keyId }) => keyId,
  },
  {
    title: "Known since",
    show: ({ createdAt }) => <Time at={createdAt} />,
    text: ({ createdAt }) => isoOf(createdAt),
  },
  {
    title: "",
    show: (user) =>
      mayChange.value && (
        <button
          type="button"
          class="quiet danger"
          aria-label={`forget ${user.name ?? user.id}`}
          onClick={() => forget(user)}
        >
          forget
        </button>
      ),
  },
];

function NewPerson(props: { tenant: string; onDone: () => void; onClose: () => void }) {
  const [issuer, setIssuer] = useState("");
  const [subject, setSubject] = useState("");
  const [name, setName] = useState("");
  const create = async () => {
    const made = await asked(
      api.POST("/admin/v1/tenants/{tenant}/users", {
        params: { path: { tenant: props.tenant } },
        body: { subject, ...(issuer !== "" && { issuer }), ...(name !== "" && { name }) },
      }),
    );
    if (made.ok) props.onDone();
    return made;
  };
  return (
    <Dialog title="Add person" onClose={props.onClose}>
      <Form submit="Save person" act={create} onCancel={props.onClose}>
        {(faultOf) => (
          <>
            <Field
              title="Id at the identity provider"
              name="subject"
              value={subject}
              onInput={setSubject}
              isRequired
              hint="The “sub” claim of the provider’s tokens. Only a hash is stored."
              fault={faultOf("subject")}
            />
            <Field
              title="Identity provider"
              name="issuer"
              value={issuer}
              onInput={setIssuer}
              hint="The issuer URL. Leave blank for the tenant’s identity provider."
              fault={faultOf("issuer")}
            />
            <Field
              title="Display name"
              name="name"
              value={name}
              onInput={setName}
              hint="Stored only if the policy stores names."
              fault={faultOf("name")}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}

interface ForgetProps {
  tenant: string;
  user: User;
  onDone: () => void;
  onClose: () => void;
}

const ForgetPerson = ({ tenant, user, onDone, onClose }: ForgetProps) => (
  <Confirm
    title="Erase person"
    act={() =>
      asked(
        api.DELETE("/admin/v1/tenants/{tenant}/users/{id}", {
          params: { path: { tenant, id: user.id } },
        }),
      )
    }
    onDone={onDone}
    onClose={onClose}
  >
    <p>
      Deletes the name, and ends the person’s keys, grants, and sessions. Records keep an anonymous
      id. This can’t be undone.
    </p>
  </Confirm>
);

export function People({ params: { tenant } }: { params: { tenant: string } }) {
  const paging = usePaging<User>(`people of ${tenant}`, (query) =>
    asked(api.GET("/admin/v1/tenants/{tenant}/users", { params: { path: { tenant }, query } })),
  );
  return (
    <ListPage
      title="People"
      lead="People known from the tenant’s identity provider. For sign-in with a key, see API keys."
      paging={paging}
      columns={(begin: (doing: User | "name") => void) => columnsOf(tenant, begin)}
      empty="No people yet. They are listed after their first sign-in, or after a call on their behalf."
      action={{ title: "Add person", doing: "name" }}
      dialog={(doing, ends) =>
        doing === "name" ? (
          <NewPerson tenant={tenant} {...ends} />
        ) : (
          <ForgetPerson tenant={tenant} user={doing} {...ends} />
        )
      }
      below={<IdentityProvider key={tenant} tenant={tenant} />}
    />
  );
}
