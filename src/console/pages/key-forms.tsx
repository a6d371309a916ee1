import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { localText, millisOf } from "../format.ts";
import { useRead } from "../load.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Fields, Form, useDraft, type FieldOf } from "../parts/form.tsx";
import { LimitFields, limitsOf, limitsPatchOf, textsOf } from "../parts/limits.tsx";
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
  expiresAt: localText(expiresAt),
  limits: textsOf(limits),
});
type Draft = ReturnType<typeof draftOf>;

const endField: FieldOf<Draft> = {
  name: "expiresAt",
  title: "Ends",
  type: "datetime-local",
  hint: "In your time zone. Leave blank for no expiry.",
};
const nameField: FieldOf<Draft> = { name: "name", title: "Name", isRequired: true };
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

type Change = ReturnType<typeof useDraft<Draft>>["change"];

const Limits = ({ draft: { limits }, change }: { draft: Draft; change: Change }) => (
  <details open={Object.values(limits).some((text) => text !== "")}>
    <summary>Budgets and limits</summary>
    <LimitFields texts={limits} onInput={(changed) => change({ limits: changed })} />
  </details>
);

interface NewKeyProps extends Pick<Ends, "onClose"> {
  /** the new key's scopes and limits */
  like: Partial<Key>;
  onDone: (made: Schemas["NewKey"]) => void;
}

export function NewKey({ like, onDone, onClose }: NewKeyProps) {
  const { draft, change } = useDraft(draftOf(like));
  const { loaded } = useRead("/admin/v1/tenants/{tenant}/users", { limit: 200 });
  const people = loaded.state === "there" ? loaded.value.data : [];
  const [earliest] = useState(() => localText(Date.now()));
  const make = async () => {
    const { name, role, limits, userId } = draft;
    const used = (["sampling", "models", "proxy"] as const).filter((use) => draft[use]);
    const made = await api.POST("/admin/v1/tenants/{tenant}/keys", {
      body: {
        name,
        scopes: role === "" ? used : [...used, role],
        limits: limitsOf(limits),
        ...(draft.expiresAt !== "" && { expiresAt: millisOf(draft.expiresAt) }),
        ...(userId !== "" && { userId }),
      },
    });
    if (made.ok) onDone(made.value);
    return made;
  };
  return (
    <Form submit="Create key" act={make} onCancel={onClose}>
      <Fields
        of={newFields(people)}
        draft={draft}
        change={(changes) => {
          const { role } = changes;
          // People who only sign in, for example auditors, call nothing.
          change(role === undefined ? changes : { ...changes, sampling: role === "" });
        }}
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
      <Limits {...{ draft, change }} />
    </Form>
  );
}

export function ChangeKey({ id, ...ends }: Ends & { id: string }) {
  const loading = useRead("/admin/v1/tenants/{tenant}/keys/{id}", { id });
  return (
    <There what="the key" loading={loading}>
      {(shown, { tag }) => <KeyForm {...{ shown, tag, ...ends }} />}
    </There>
  );
}

function KeyForm({ shown, tag, onDone, onClose }: Ends & { shown: Key; tag: string | null }) {
  const { draft, change } = useDraft(draftOf(shown));
  const save = async () => {
    const { name, expiresAt, limits } = draft;
    const changed = await api.PATCH("/admin/v1/tenants/{tenant}/keys/{id}", {
      id: shown.id,
      ifMatch: tag,
      body: {
        name,
        limits: limitsPatchOf(limits),
        ...(expiresAt !== localText(shown.expiresAt) && { expiresAt: millisOf(expiresAt) }),
      },
    });
    if (changed.ok) onDone();
    return changed;
  };
  return (
    <Form submit="Save changes" act={save} onCancel={onClose}>
      <Fields of={[nameField, endField]} {...{ draft, change }} />
      <Limits {...{ draft, change }} />
    </Form>
  );
}
