import { api, type Schemas } from "../api.ts";
import { dayColumn, fileColumn, timeColumn } from "../parts/columns.tsx";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Fields } from "../parts/fields.tsx";
import { Form, useDraft } from "../parts/form.tsx";
import { ListPage, type Ends } from "../parts/list-page.tsx";
import { usePaging, type Paging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { RequestsOf, spendColumns, useSpending, type Spender } from "../parts/spend.tsx";
import { ownPath } from "../place.ts";

type User = Schemas["User"];

const nameOf = ({ id, name }: User): string => name ?? `${id.slice(0, 12)}…`;

const columnsOf = (spending: ReadonlyMap<string, Spender>): readonly Column<User>[] => [
  {
    title: "Person",
    show: (user) => <RequestsOf by="user" id={user.id} name={nameOf(user)} />,
    text: nameOf,
  },
  fileColumn("Id", ({ id }) => id),
  {
    title: "Console role",
    isWide: true,
    show: ({ role }) => role ?? <span class="faint">none</span>,
    text: ({ role }) => role,
  },
  { ...timeColumn<User>("Last sign-in", ({ signedInAt }) => signedInAt), isWide: true },
  ...spendColumns<User>(({ id }) => spending.get(id)),
  { ...dayColumn<User>("Known since", ({ createdAt }) => createdAt), isWide: true },
];

const newFields = [
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
] as const;

function NewPerson({ onDone, onClose }: Ends & {}) {
  const { draft, change } = useDraft({ subject: "", issuer: "", name: "" });
  const { subject, issuer, name } = draft;
  const create = async () => {
    const made = await api.POST("/admin/v1/tenants/{tenant}/users", {
      body: { subject, ...(issuer !== "" && { issuer }), ...(name !== "" && { name }) },
    });
    if (made.ok) onDone();
    return made;
  };
  return (
    <Dialog title="Add person" onClose={onClose}>
      <Form submit="Save person" act={create} onCancel={onClose}>
        <Fields of={newFields} {...{ draft, change }} />
      </Form>
    </Dialog>
  );
}

const haveNoNames = ({ loading: { loaded } }: Paging<User>): boolean =>
  loaded.state === "there" &&
  loaded.value.data.length > 0 &&
  loaded.value.data.every(({ name }) => name === null);

export function People() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/users");
  return (
    <ListPage
      title="People"
      lead="People who signed in with the identity provider, and those on whose behalf programs call. Budgets count from the time when they are set."
      paging={paging}
      columns={columnsOf(useSpending("user"))}
      nameOf={nameOf}
      verbs={() => ["Erase"] as const}
      empty="No people yet. They are listed after their first sign-in, or after a call on their behalf."
      below={
        haveNoNames(paging) && (
          <p class="faint">
            Names aren’t stored. To see them after the next sign-in, choose “Stored” for names of
            people on <a href={ownPath("/policy")}>Policy</a>.
          </p>
        )
      }
      make={{
        title: "Add person",
        dialog: (ends) => <NewPerson {...ends} />,
      }}
      dialog={({ row: { id } }, ends) => (
        <Confirm
          title="Erase person"
          act={() => api.DELETE("/admin/v1/tenants/{tenant}/users/{id}", { id })}
          {...ends}
        >
          <p>
            Deletes the name, and ends the person’s keys, grants, and sessions. Records keep an
            anonymous id. This can’t be undone.
          </p>
        </Confirm>
      )}
    />
  );
}
