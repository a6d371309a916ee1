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

/** Adds a person before the first sign-in, for example to issue a key. */
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
    <Dialog title="Name a person" onClose={props.onClose}>
      <Form submit="Make the person known" act={create} onCancel={props.onClose}>
        {(faultOf) => (
          <>
            <Field
              title="Id at the identity provider"
              name="subject"
              value={subject}
              onInput={setSubject}
              isRequired
              hint="What the provider's tokens call “sub”. A hash of it is kept, and nothing else."
              fault={faultOf("subject")}
            />
            <Field
              title="Identity provider"
              name="issuer"
              value={issuer}
              onInput={setIssuer}
              hint="Its address. Empty: the tenant's own."
              fault={faultOf("issuer")}
            />
            <Field
              title="Name for people"
              name="name"
              value={name}
              onInput={setName}
              hint="Kept only where the policy keeps names."
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
    title="Forget the person"
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
      The name goes, and the person’s keys, grants and sessions end. Records keep an id that leads
      to nobody. Nothing brings it back.
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
      lead="Whom the tenant’s identity provider has vouched for. Somebody who signs in with an API key stands under API keys."
      paging={paging}
      columns={(begin: (doing: User | "name") => void) => columnsOf(tenant, begin)}
      empty="Nobody has come by an identity provider yet. A person stands here after the first sign-in, or after a call in the person’s name."
      action={{ title: "Name a person", doing: "name" }}
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
