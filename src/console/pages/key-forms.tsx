import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { dateOf, millisOf } from "../format.ts";
import { useLoaded } from "../load.ts";
import { Check, Choice, Field, Form } from "../parts/form.tsx";
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
type RoleChoice = (typeof roleTitles)[number][0];

function localText(at: number | null): string {
  if (at === null) return "";
  const moved = dateOf(at - dateOf(at).getTimezoneOffset() * 60_000);
  return moved.toISOString().slice(0, 16);
}

interface ScopeFieldsProps {
  chosen: readonly Use[];
  onInput: (chosen: Use[]) => void;
}

function ScopeFields({ chosen, onInput }: ScopeFieldsProps) {
  return (
    <fieldset>
      <legend>Allowed to use</legend>
      {uses.map((scope) => (
        <Check
          key={scope}
          name={scope}
          title={scopeTitles[scope]}
          value={chosen.includes(scope)}
          onInput={(isOn) =>
            onInput(uses.filter((each) => (each === scope ? isOn : chosen.includes(each))))
          }
        />
      ))}
    </fieldset>
  );
}

interface EndFieldProps {
  value: string;
  onInput: (end: string) => void;
  faultOf: (name: string) => string | null;
  min?: string;
}

const EndField = ({ value, onInput, faultOf, min }: EndFieldProps) => (
  <Field
    title="Ends"
    name="expiresAt"
    type="datetime-local"
    min={min}
    value={value}
    onInput={onInput}
    hint="In your time zone. Leave blank for no expiry."
    fault={faultOf("expiresAt")}
  />
);

interface NewKeyProps {
  tenant: string;
  onDone: (made: Schemas["NewKey"]) => void;
  onClose: () => void;
}

export function NewKey({ tenant, onDone, onClose }: NewKeyProps) {
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<Use[]>(["sampling"]);
  const [role, setRole] = useState<RoleChoice>("");
  const [end, setEnd] = useState("");
  const [earliest] = useState(() => localText(Date.now()));
  const [limits, setLimits] = useState(textsOf({}));
  const make = async () => {
    const expiresAt = millisOf(end);
    const made = await asked(
      api.POST("/admin/v1/tenants/{tenant}/keys", {
        params: { path: { tenant } },
        body: {
          name,
          scopes: role === "" ? chosen : [...chosen, role],
          limits: limitsOf(limits),
          ...(expiresAt !== null && { expiresAt }),
        },
      }),
    );
    if (made.ok) onDone(made.value);
    return made;
  };
  return (
    <Form submit="Create key" act={make} onCancel={onClose}>
      {(faultOf) => (
        <>
          <Field
            title="Name"
            name="name"
            value={name}
            onInput={setName}
            isRequired
            hint="What uses it, for example “search server”."
            fault={faultOf("name")}
          />
          <ScopeFields chosen={chosen} onInput={setChosen} />
          <Choice
            title="Role"
            name="scopes"
            value={role}
            options={roleTitles}
            onInput={setRole}
            hint="People can sign in with the key and have its role."
          />
          <EndField value={end} onInput={setEnd} faultOf={faultOf} min={earliest} />
          <LimitFields texts={limits} onInput={setLimits} faultOf={faultOf} />
        </>
      )}
    </Form>
  );
}

interface ChangeKeyProps {
  tenant: string;
  id: string;
  onDone: () => void;
  onClose: () => void;
}

export function ChangeKey({ tenant, id, onDone, onClose }: ChangeKeyProps) {
  const params = { path: { tenant, id } };
  const loading = useLoaded(`key ${id}`, () =>
    asked(api.GET("/admin/v1/tenants/{tenant}/keys/{id}", { params })),
  );
  return (
    <There what="the key" loading={loading}>
      {(shown, { tag }) => <KeyForm {...{ tenant, shown, tag, onDone, onClose }} />}
    </There>
  );
}

interface KeyFormProps extends Omit<ChangeKeyProps, "id"> {
  shown: Key;
  tag: string | null;
}

function KeyForm({ tenant, shown, tag, onDone, onClose }: KeyFormProps) {
  const [name, setName] = useState(shown.name);
  const [end, setEnd] = useState(localText(shown.expiresAt));
  const [limits, setLimits] = useState(textsOf(shown.limits));
  const change = async () => {
    const changed = await asked(
      api.PATCH("/admin/v1/tenants/{tenant}/keys/{id}", {
        params: { path: { tenant, id: shown.id } },
        headers: { "If-Match": tag ?? "*" },
        body: {
          name,
          limits: limitsPatchOf(limits),
          ...(end !== localText(shown.expiresAt) && { expiresAt: millisOf(end) }),
        },
      }),
    );
    if (changed.ok) onDone();
    return changed;
  };
  return (
    <Form submit="Save" act={change} onCancel={onClose}>
      {(faultOf) => (
        <>
          <p>
            <code>{shown.id}</code> <CopyButton text={shown.id} of={`the id of ${shown.name}`} />
          </p>
          <Field title="Name" name="name" value={name} onInput={setName} isRequired />
          <EndField value={end} onInput={setEnd} faultOf={faultOf} />
          <LimitFields texts={limits} onInput={setLimits} faultOf={faultOf} />
        </>
      )}
    </Form>
  );
}
