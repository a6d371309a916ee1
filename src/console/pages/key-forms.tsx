import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { localText } from "../format.ts";
import { useRead, valueIn } from "../load.ts";
import { given } from "../members.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Check, Field, Fields, Form, useDraft, useEdited, type Editing } from "../parts/form.tsx";
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

const uses = [
  ["sampling", "calls /v1/sampling"],
  ["models", "calls models with an OpenAI or Anthropic SDK"],
  ["proxy", "uses registered servers through /mcp"],
] as const;

const endField = {
  name: "expiresAt",
  title: "Ends",
  as: "moment",
  hint: "In your time zone. Leave blank for no expiry.",
} as const;
const nameField = { name: "name", title: "Name", isRequired: true } as const;

const LimitsOfKey = ({ draft, change }: Editing<{ limits: Limits }>) => (
  <details open={Object.keys(draft.limits).length > 0}>
    <summary>Budgets and limits</summary>
    <LimitFields limits={draft.limits} onInput={(limits = {}) => change({ limits })} />
  </details>
);

const UsesOfKey = ({ draft: { scopes }, change }: Editing<Pick<Key, "scopes">>) => (
  <fieldset>
    <legend>Allowed to use</legend>
    {uses.map(([use, what]) => (
      <Check
        key={use}
        {...{ title: `${use}: ${what}`, name: use }}
        value={scopes.includes(use)}
        onInput={(isUsed) =>
          change({ scopes: isUsed ? [...scopes, use] : scopes.filter((each) => each !== use) })
        }
      />
    ))}
  </fieldset>
);

export type KeyEnds = Ends & { onMade: (made: Schemas["NewKey"]) => void };
type NewKeyProps = KeyEnds & { title: string; like: Partial<Key> };

export function NewKey({ title, like, onMade, onClose }: NewKeyProps) {
  const { name = "", scopes = [], limits = {}, userId, expiresAt = null } = like;
  const its = useDraft({ name, scopes, limits, userId: userId ?? "", expiresAt });
  const { draft, change } = its;
  const people = valueIn(useRead("/admin/v1/tenants/{tenant}/users", { limit: 200 }))?.data ?? [];
  const persons = people.map((each) => [each.id, each.name ?? each.id] as const);
  const [min] = useState(() => localText(Date.now()));
  const role = roleIn(draft.scopes);
  const fields = [
    { ...nameField, hint: "Who or what uses it, for example “search server”." },
    { name: "userId", title: "On behalf of", options: [["", "no particular person"], ...persons] },
    { ...endField, min },
  ] as const;
  return (
    <Dialog {...{ title, onClose }}>
      <Form
        submit="Create key"
        act={() => api.POST("/admin/v1/tenants/{tenant}/keys", { body: given(draft) ?? draft })}
        onDone={onMade}
        onCancel={onClose}
      >
        <Fields of={fields} {...its} />
        <Field
          title="Role in the console and the admin API"
          name="role"
          path="scopes"
          options={roles}
          value={role}
          hint={role && `People sign in with the key at ${consoleUrl}.`}
          // People who only sign in, for example auditors, call nothing.
          onInput={(chosen) => {
            const others = draft.scopes.filter((each) => each === "models" || each === "proxy");
            change({ scopes: [...others, chosen === "" ? "sampling" : chosen] });
          }}
        />
        <UsesOfKey {...its} />
        <LimitsOfKey {...its} />
      </Form>
    </Dialog>
  );
}

export const ChangeKey = ({ title, id, ...ends }: Ends & Record<"title" | "id", string>) => (
  <Dialog title={title} onClose={ends.onClose}>
    <There what="the key" loading={useRead("/admin/v1/tenants/{tenant}/keys/{id}", { id })}>
      {(shown, { tag }) => <KeyForm {...{ shown, tag, ...ends }} />}
    </There>
  </Dialog>
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
