import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { day } from "../format.ts";
import { useRead, valueIn } from "../load.ts";
import { given } from "../members.ts";
import { column, isoOf, type Column } from "../parts/columns.tsx";
import { idFact } from "../parts/copy.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { Field, Fields, useDraft } from "../parts/form.tsx";
import { DetailsOf, ListPage, NoMatch, useSearched, type Ends } from "../parts/list-page.tsx";
import type { Fact } from "../parts/page.tsx";
import { RequestsOf, UsedLimits, useSpend } from "../parts/spend.tsx";
import { tenantNow } from "../parts/stopped.tsx";
import { ownPath } from "../place.ts";

type User = Schemas["User"];
const nameOf = ({ id, name }: User): string => name ?? `${id.slice(0, 12)}…`;

const columns: readonly Column<User>[] = [
  column.of("Person", nameOf, (user) => <DetailsOf id={user.id} name={nameOf(user)} />),
  column.file("Id", ({ id }) => id),
  column.of("Console role", ({ role }) => role),
  column.time("Last sign-in", ({ signedInAt }) => signedInAt),
  column.file("Known since", ({ createdAt }) => isoOf(createdAt)),
];

function GroupsOf({ id }: User) {
  const last = useRead("/admin/v1/tenants/{tenant}/requests", { user: id, limit: 1 });
  return <>{valueIn(last)?.data[0]?.who.groups?.join(", ") ?? "none"}</>;
}

const isFound = ({ id, name }: User, find: string): boolean =>
  `${name} ${id}`.toLowerCase().includes(find.trim().toLowerCase());

const factsOf = (user: User, spent: Fact[]): Fact[] => [
  ["Groups in the last request", <GroupsOf {...user} />],
  ...spent,
  [
    "Limits",
    [
      <UsedLimits of={[`user:${user.id}`]} limits={tenantNow.value?.policy.perUser} />,
      <a href={ownPath("/policy#raises")}> Raise one</a>,
    ],
  ],
  [
    "API keys",
    <a href={`${ownPath("/keys")}?find=${encodeURIComponent(user.name ?? user.id)}`}>
      Keys of {nameOf(user)}
    </a>,
  ],
  ["Requests", <RequestsOf by="user" id={user.id} name={`Requests of ${nameOf(user)}`} />],
  ["Console role", user.role ?? "none"],
  ["Known since", day(user.createdAt)],
  idFact(user.id),
];

const newFields = [
  {
    name: "subject",
    title: "Id at the identity provider",
    isRequired: true,
    hint: "How the provider itself names the person: the “sub” claim of its tokens, usually not the email address. “Try the sign-in” on Single sign-on shows yours. Only a hash is stored.",
  },
  {
    name: "issuer",
    title: "Identity provider",
    hint: "The issuer URL. Leave blank for the tenant’s identity provider.",
  },
  { name: "name", title: "Display name", hint: "Stored only if the policy stores names." },
] as const;

function NewPerson(ends: Ends) {
  const its = useDraft<Schemas["UserInput"]>({ subject: "" });
  const create = () =>
    api.POST("/admin/v1/tenants/{tenant}/users", { body: given(its.draft) ?? its.draft });
  return (
    <FormDialog title="Add person" submit="Save person" act={create} {...ends}>
      <p>People are added when they first sign in. Add one before, to give the person a key.</p>
      <Fields of={newFields} {...its} />
    </FormDialog>
  );
}

export function People() {
  const [find, seek] = useState("");
  const paging = useSearched("/admin/v1/tenants/{tenant}/users", find !== "");
  const spend = useSpend<User>("user", () => tenantNow.value?.policy.perUser);
  return (
    <ListPage
      title="People"
      lead="People who sign in, or on whose behalf programs call, with what they spent this month. Those without a role never signed in to the console."
      paging={paging}
      keep={(user) => isFound(user, find)}
      order={{ title: "Spent", isDescending: true }}
      columns={[...columns, ...spend.columns]}
      nameOf={nameOf}
      details={(user) => factsOf(user, spend.factsOf(user))}
      empty={
        find === "" ? (
          "No people yet. They are listed after their first sign-in, or after a call on their behalf."
        ) : (
          <NoMatch clear={() => seek("")} />
        )
      }
      below={
        tenantNow.value !== null &&
        tenantNow.value.policy.userNames !== "keep" && (
          <p class="faint">
            Names aren’t stored. To see them after the next sign-in, choose “Stored” for names of
            people on <a href={ownPath("/policy")}>Policy</a>.
          </p>
        )
      }
      make={{ title: "Add person", dialog: (ends) => <NewPerson {...ends} /> }}
      remove={{
        title: "Erase person",
        act: ({ id }) => api.DELETE("/admin/v1/tenants/{tenant}/users/{id}", { id }),
        question: () =>
          "Deletes the name, and ends the person’s keys, grants, and sessions. Records keep an anonymous id. This can’t be undone.",
      }}
    >
      <div class="filters" role="search">
        <Field title="Find" name="find" value={find} onInput={seek} />
      </div>
    </ListPage>
  );
}
