import { roleOf, type Role } from "../../domain/tenancy/scopes.ts";
import { api, type Schemas } from "../api.ts";
import { localText } from "../format.ts";
import { useRead, valueIn } from "../load.ts";
import { given } from "../members.ts";
import { Dialog, FormDialog } from "../parts/dialog.tsx";
import { Fields, Form, useDraft, useEdited, type Editing } from "../parts/form.tsx";
import { LimitFields, type Limits } from "../parts/limits.tsx";
import type { Ends } from "../parts/list-page.tsx";
import { There } from "../parts/page.tsx";
import { routerUrl } from "../place.ts";

type Key = Schemas["Key"];

export const consoleUrl = `${routerUrl}/console`;
const roles = [
  ["", "none: calls models and servers only"],
  ["viewer", "viewer: reads settings, usage, and records"],
  ["auditor", "auditor: viewer who exports records and reads seals"],
  ["approver", "approver: viewer who decides on pending calls"],
  ["admin", "admin: everything in this tenant"],
] as const satisfies readonly (readonly [Role | "", string])[];

const uses = [
  { name: "models", title: "Programs with an OpenAI or Anthropic SDK (models)" },
  { name: "sampling", title: "MCP servers and clients that request sampling (sampling)" },
  { name: "proxy", title: "MCP clients of registered servers (proxy)" },
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

export type KeyEnds = Ends & { onMade: (made: Schemas["NewKey"], isRotated?: true) => void };
type NewKeyProps = KeyEnds & { title: string; like: Partial<Key> };

export function NewKey({ title, like, onMade, onClose }: NewKeyProps) {
  const { name = "", scopes = [], limits = {}, userId, expiresAt = null } = like;
  const its = useDraft({
    name,
    limits,
    expiresAt,
    userId: userId ?? "",
    role: roleOf(scopes) ?? ("" as const),
    sampling: scopes.includes("sampling"),
    models: scopes.includes("models"),
    proxy: scopes.includes("proxy"),
  });
  const { role, sampling, models, proxy, ...draft } = its.draft;
  const people = valueIn(useRead("/admin/v1/tenants/{tenant}/users", { limit: 200 }))?.data ?? [];
  const persons = people.map((each) => [each.id, each.name ?? each.id] as const);
  const fields = [
    { ...nameField, hint: "Who or what uses it, for example “search server”." },
    { name: "userId", title: "On behalf of", options: [["", "no particular person"], ...persons] },
    { ...endField, min: localText(Date.now()) },
    {
      name: "role",
      title: "Role in the console and the admin API",
      path: "scopes",
      options: roles,
      hint: role && `People sign in with the key at ${consoleUrl}.`,
    },
  ] as const;
  const create = () => {
    const granted = [role, sampling && "sampling", models && "models", proxy && "proxy"] as const;
    const key = { ...draft, scopes: granted.filter((each) => each !== false && each !== "") };
    return api.POST("/admin/v1/tenants/{tenant}/keys", { body: given(key) ?? key });
  };
  return (
    <FormDialog submit="Create key" act={create} onDone={onMade} {...{ title, onClose }}>
      <Fields
        of={fields}
        draft={its.draft}
        // People who only sign in, for example auditors, call nothing.
        change={({ role: chosen, ...changes }) =>
          its.change(chosen === undefined ? changes : { role: chosen, models: chosen === "" })
        }
      />
      <fieldset>
        <legend>Used by</legend>
        <Fields of={uses} {...its} />
      </fieldset>
      <LimitsOfKey {...its} />
    </FormDialog>
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
