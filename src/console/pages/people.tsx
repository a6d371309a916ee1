import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { day, time } from "../format.ts";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Fields, type FieldOf } from "../parts/fields.tsx";
import { Form } from "../parts/form.tsx";
import { ListPage, type Ends } from "../parts/list-page.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { spendColumns, useSpending, type Spender } from "../parts/spend.tsx";
import { isoOf, Time } from "../parts/time.tsx";
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
  {
    title: "Console role",
    order: ({ role }) => role,
    show: ({ role }) => role ?? <span class="faint">none</span>,
    text: ({ role }) => role,
  },
  {
    title: "Last sign-in",
    order: ({ signedInAt }) => signedInAt,
    show: ({ signedInAt }) => <Time at={signedInAt} />,
    text: ({ signedInAt }) => isoOf(signedInAt),
  },
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

const nobody = { subject: "", issuer: "", name: "" };
const fields: readonly FieldOf<typeof nobody>[] = [
  {
    name: "subject",
    title: "Id at the identity provider",
    isRequired: true,
    hint: "The “sub” claim of the provider’s tokens. Only a hash is stored.",
  },
  {
    name: "issuer",
    title: "Identity provider",
    hint: "The issuer URL. Leave blank for the tenant’s identity provider.",
  },
  { name: "name", title: "Display name", hint: "Stored only if the policy stores names." },
];

function NewPerson({ tenant, onDone, onClose }: Ends & { tenant: string }) {
  const [draft, setDraft] = useState(nobody);
  const create = async () => {
    const { subject, issuer, name } = draft;
    const body = { subject, ...(issuer !== "" && { issuer }), ...(name !== "" && { name }) };
    const params = { path: { tenant } };
    const made = await asked(api.POST("/admin/v1/tenants/{tenant}/users", { params, body }));
    if (made.ok) onDone();
    return made;
  };
  return (
    <Dialog title="Add person" onClose={onClose}>
      <Form submit="Save person" act={create} onCancel={onClose}>
        {(faultOf) => (
          <Fields
            of={fields}
            {...{ draft, faultOf }}
            change={(changes) => setDraft({ ...draft, ...changes })}
          />
        )}
      </Form>
    </Dialog>
  );
}

const ForgetPerson = ({ tenant, user, ...ends }: Ends & { tenant: string; user: User }) => (
  <Confirm
    title="Erase person"
    act={() =>
      asked(
        api.DELETE("/admin/v1/tenants/{tenant}/users/{id}", {
          params: { path: { tenant, id: user.id } },
        }),
      )
    }
    {...ends}
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
      lead="People who signed in with the identity provider, and those on whose behalf programs call."
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
