import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { dateOf, millisOf } from "../format.ts";
import { useRead } from "../load.ts";
import { Fields, type FieldOf } from "../parts/fields.tsx";
import { Check, Form, useDraft } from "../parts/form.tsx";
import { LimitFields, limitsOf, limitsPatchOf, textsOf } from "../parts/limits.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { There } from "../parts/notice.tsx";

type Key = Schemas["Key"];
type Scope = Key["scopes"][number];

const scopeTitles = {
  sampling: "sampling: calls /v1/sampling",
  models: "models: calls models with an OpenAI or Anthropic SDK",
  proxy: "proxy: uses registered servers through /mcp",
} as const;
type Use = keyof typeof scopeTitles;
const uses = Object.keys(scopeTitles) as Use[];
const roleTitles = [
  ["", "no access to the console and the admin API"],
  ["viewer", "viewer: reads settings, usage, and records"],
  ["auditor", "auditor: viewer who exports records and reads seals"],
  ["approver", "approver: viewer who decides on pending calls"],
  ["admin", "admin: everything in this tenant"],
] as const satisfies readonly (readonly [Scope | "", string])[];
export type RoleChoice = (typeof roleTitles)[number][0];

function localText(at: number | null): string {
  if (at === null) return "";
  const moved = dateOf(at - dateOf(at).getTimezoneOffset() * 60_000);
  return moved.toISOString().slice(0, 16);
}

interface ScopeFieldsProps {
  value: readonly Use[];
  onInput: (chosen: Use[]) => void;
}

const ScopeFields = ({ value, onInput }: ScopeFieldsProps) => (
  <fieldset>
    <legend>Allowed to use</legend>
    {uses.map((scope) => (
      <Check
        key={scope}
        name={scope}
        title={scopeTitles[scope]}
        value={value.includes(scope)}
        onInput={(isOn) =>
          onInput(uses.filter((each) => (each === scope ? isOn : value.includes(each))))
        }
      />
    ))}
  </fieldset>
);

export const roleIn = (scopes: readonly Scope[]): RoleChoice =>
  roleTitles.find(([role]) => scopes.includes(role as Scope))?.[0] ??
  (scopes.includes("tenant-admin") ? "admin" : "");

/** @param like a key with the same scopes and limits */
const draftOf = (like: Key | undefined, role: string | undefined) => ({
  name: like === undefined ? "" : `${like.name} (copy)`,
  uses:
    like === undefined
      ? role
        ? []
        : ["sampling" as Use]
      : uses.filter((use) => like.scopes.includes(use)),
  scopes: roleIn(like === undefined ? [role as Scope] : like.scopes),
  expiresAt: "",
  limits: textsOf(like?.limits),
});

type Draft = ReturnType<typeof draftOf>;

const roleField: FieldOf<Draft> = {
  name: "scopes",
  title: "Role",
  options: roleTitles,
  hint: "People can sign in with the key and have its role.",
};
const endField = {
  name: "expiresAt",
  title: "Ends",
  type: "datetime-local",
  hint: "In your time zone. Leave blank for no expiry.",
} as const;
const nameField = { name: "name", title: "Name", isRequired: true } as const;
const nameHint = "What uses it, for example “search server”.";

interface NewKeyProps {
  like?: Key;
  /** of an auditor, for example, who only signs in */
  role?: string | undefined;
  onDone: (made: Schemas["NewKey"]) => void;
  onClose: () => void;
}

export function NewKey({ like, role, onDone, onClose }: NewKeyProps) {
  const { draft, change } = useDraft(draftOf(like, role));
  const [earliest] = useState(() => localText(Date.now()));
  const make = async () => {
    const { name, scopes } = draft;
    const expiresAt = millisOf(draft.expiresAt);
    const made = await api.POST("/admin/v1/tenants/{tenant}/keys", {
      body: {
        name,
        scopes: scopes === "" ? draft.uses : [...draft.uses, scopes],
        limits: limitsOf(draft.limits),
        ...(expiresAt !== null && { expiresAt }),
        ...(like !== undefined && like.userId !== null && { userId: like.userId }),
      },
    });
    if (made.ok) onDone(made.value);
    return made;
  };
  return (
    <Form submit="Create key" act={make} onCancel={onClose}>
      <Fields of={[{ ...nameField, hint: nameHint }]} {...{ draft, change }} />
      <ScopeFields value={draft.uses} onInput={(chosen) => change({ uses: chosen })} />
      <Fields of={[roleField, { ...endField, min: earliest }]} {...{ draft, change }} />
      <LimitFields texts={draft.limits} onInput={(limits) => change({ limits })} />
    </Form>
  );
}

interface ChangeKeyProps {
  id: string;
  onDone: () => void;
  onClose: () => void;
}

export function ChangeKey({ id, ...ends }: ChangeKeyProps) {
  const params = { id };
  const loading = useRead("/admin/v1/tenants/{tenant}/keys/{id}", params);
  return (
    <There what="the key" loading={loading}>
      {(shown, { tag }) => <KeyForm {...{ shown, tag, ...ends }} />}
    </There>
  );
}

interface KeyFormProps extends Omit<ChangeKeyProps, "id"> {
  shown: Key;
  tag: string | null;
}

function KeyForm({ shown, tag, onDone, onClose }: KeyFormProps) {
  const { draft, change } = useDraft({
    name: shown.name,
    expiresAt: localText(shown.expiresAt),
    limits: textsOf(shown.limits),
  });
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
      <p>
        <code>{shown.id}</code> <CopyButton text={shown.id} of={`the id of ${shown.name}`} />
      </p>
      <Fields of={[nameField, endField]} {...{ draft, change }} />
      <LimitFields texts={draft.limits} onInput={(limits) => change({ limits })} />
    </Form>
  );
}
