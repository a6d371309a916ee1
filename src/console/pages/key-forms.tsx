import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { localText } from "../format.ts";
import { useRead, valueIn } from "../load.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Fields, Form, useDraft, useEdited, type Editing, type FieldOf } from "../parts/form.tsx";
import { LimitFields, type Limits } from "../parts/limits.tsx";
import type { Ends } from "../parts/list-page.tsx";
import { There } from "../parts/page.tsx";
import { routerUrl } from "../place.ts";

type Key = Schemas["Key"];
type Scope = Key["scopes"][number];

export const consoleUrl = `${routerUrl}/console`;
const roles = [
  ["", "none: calls models and servers only"],
  ["viewer", "viewer: reads settings, usage, and records"],
  ["auditor", "auditor: viewer who exports records and reads seals"],
  ["approver", "approver: viewer who decides on pending calls"],
  ["admin", "admin: everything in this tenant"],
] as const satisfies readonly (readonly [Scope | "", string])[];

export const roleIn = (scopes: readonly string[]) =>
  roles.find(([role]) => scopes.includes(role))?.[0] ??
  (scopes.includes("tenant-admin") ? "admin" : "");

const draftOf = ({ name = "", scopes = [], expiresAt = null, limits, userId }: Partial<Key>) => ({
  name,
  userId: userId ?? "",
  role: roleIn(scopes),
  sampling: scopes.includes("sampling"),
  models: scopes.includes("models"),
  proxy: scopes.includes("proxy"),
  expiresAt,
  limits: (limits ?? {}) as Limits,
});
type Draft = ReturnType<typeof draftOf>;

const endField: FieldOf<Pick<Key, "expiresAt">> = {
  name: "expiresAt",
  title: "Ends",
  as: "moment",
  hint: "In your time zone. Leave blank for no expiry.",
};
const nameField: FieldOf<Pick<Key, "name">> = { name: "name", title: "Name", isRequired: true };
const newFields = (people: readonly Schemas["User"][]): readonly FieldOf<Draft>[] => [
  { ...nameField, hint: "Who or what uses it, for example “search server”." },
  { name: "role", title: "Role in the console and the admin API", options: roles, path: "scopes" },
  {
    name: "userId",
    title: "On behalf of",
    options: [
      ["", "no particular person"],
      ...people.map(({ id, name }) => [id, name ?? id] as const),
    ],
  },
];

const useFields: readonly FieldOf<Draft>[] = [
  { name: "sampling", title: "sampling: calls /v1/sampling" },
  { name: "models", title: "models: calls models with an OpenAI or Anthropic SDK" },
  { name: "proxy", title: "proxy: uses registered servers through /mcp" },
];

const LimitsOfKey = ({ draft, change }: Editing<{ limits: Limits }>) => (
  <details open={Object.keys(draft.limits).length > 0}>
    <summary>Budgets and limits</summary>
    <LimitFields limits={draft.limits} onInput={(limits = {}) => change({ limits })} />
  </details>
);

type NewKeyProps = Pick<Ends, "onClose"> & {
  like: Partial<Key>;
  onDone: (made: Schemas["NewKey"]) => void;
};

export function NewKey({ like, onDone, onClose }: NewKeyProps) {
  const { draft, change } = useDraft(draftOf(like));
  const people = valueIn(useRead("/admin/v1/tenants/{tenant}/users", { limit: 200 }));
  const [earliest] = useState(() => localText(Date.now()));
  const make = async () => {
    const { name, role, limits, userId, expiresAt } = draft;
    const used = (["sampling", "models", "proxy"] as const).filter((use) => draft[use]);
    return api.POST("/admin/v1/tenants/{tenant}/keys", {
      body: {
        name,
        scopes: role === "" ? used : [...used, role],
        limits,
        ...(expiresAt && { expiresAt }),
        ...(userId !== "" && { userId }),
      },
    });
  };
  return (
    <Form submit="Create key" act={make} onDone={onDone} onCancel={onClose}>
      <Fields
        of={newFields(people?.data ?? [])}
        draft={draft}
        // People who only sign in, for example auditors, call nothing.
        change={({ role, ...others }) =>
          change(role === undefined ? others : { role, sampling: role === "" })
        }
      />
      {draft.role !== "" && (
        <p class="faint">
          People sign in with the key at <code>{consoleUrl}</code>{" "}
          <CopyButton text={consoleUrl} of="the console’s address" />
        </p>
      )}
      <fieldset>
        <legend>Allowed to use</legend>
        <Fields of={useFields} {...{ draft, change }} />
      </fieldset>
      <Fields of={[{ ...endField, min: earliest }]} {...{ draft, change }} />
      <LimitsOfKey {...{ draft, change }} />
    </Form>
  );
}

export const ChangeKey = ({ id, ...ends }: Ends & { id: string }) => (
  <There what="the key" loading={useRead("/admin/v1/tenants/{tenant}/keys/{id}", { id })}>
    {(shown, { tag }) => <KeyForm {...{ shown, tag, ...ends }} />}
  </There>
);

function KeyForm({ shown, tag, onDone, onClose }: Ends & { shown: Key; tag: string | null }) {
  const { patch: body, ...its } = useEdited(shown);
  const { id } = shown;
  const save = () => api.PATCH("/admin/v1/tenants/{tenant}/keys/{id}", { id, ifMatch: tag, body });
  return (
    <Form submit="Save changes" act={save} {...{ onDone }} onCancel={onClose}>
      <Fields of={[nameField, endField]} {...its} />
      <LimitsOfKey {...its} />
    </Form>
  );
}
