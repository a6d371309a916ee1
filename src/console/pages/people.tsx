import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { day, time } from "../format.ts";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Field, Form } from "../parts/form.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { spendColumns, useSpending, type Spender } from "../parts/spend.tsx";
import { isoOf } from "../parts/time.tsx";
import { tenantPath } from "../place.ts";
import { mayChange } from "../session.ts";

type User = Schemas["User"];

const nameOf = ({ id, name }: User): string => name ?? `${id.slice(0, 12)}…`;

const columnsOf = (
  tenant: string,
  spending: ReadonlyMap<string, Spender>,
  forget: (user: User) => void,
): Column<User>[] => [
  {
    title: "Person",
    order: nameOf,
    show: (user) => (
      <a
        href={`${tenantPath(tenant, "/requests")}?user=${encodeURIComponent(user.id)}`}
        title={`Requests of ${user.id}`}
      >
        {nameOf(user)}
      </a>
    ),
    text: ({ id, name }) => name ?? id,
  },
  { title: "Id", isFileOnly: true, show: () => null, text: ({ id }) => id },
  ...spendColumns<User>(({ id }) => spending.get(id)),
  {
    title: "Known since",
    order: ({ createdAt }) => createdAt,
    show: ({ createdAt }) => (
      <span class="nowrap" title={time(createdAt)}>
        {day(createdAt)}
      </span>
    ),
    text: ({ createdAt }) => isoOf(createdAt),
  },
  {
    title: "",
    show: (user) =>
      mayChange.value && (
        <span class="row-actions">
          <button
            type="button"
            class="quiet danger"
            aria-label={`forget ${user.name ?? user.id}`}
            onClick={() => forget(user)}
          >
            forget
          </button>
        </span>
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
  const spending = useSpending(tenant, "user");
  return (
    <ListPage
      title="People"
      lead="People known from the tenant’s identity provider, with what they spent this month."
      paging={paging}
      columns={(begin: (doing: User | "name") => void) => columnsOf(tenant, spending, begin)}
      empty="No people yet. They are listed after their first sign-in, or after a call on their behalf."
      action={{ title: "Add person", doing: "name" }}
      dialog={(doing, ends) =>
        doing === "name" ? (
          <NewPerson tenant={tenant} {...ends} />
        ) : (
          <ForgetPerson tenant={tenant} user={doing} {...ends} />
        )
      }
    />
  );
}
