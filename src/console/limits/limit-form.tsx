/** Sets one limit of the tenant, of each person, group or tag, or of a key, server, group or tag. */
import { api, type Schemas } from "../api.ts";
import { limitTitles, type LimitName } from "../limit-titles.ts";
import type { LimitState } from "../overview-figures.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Fields, type FieldOf } from "../parts/fields.tsx";
import { Form, useDraft } from "../parts/form.tsx";
import { useSubjectNames } from "../parts/named.tsx";
import { ownPath } from "../place.ts";

export interface LimitDraft {
  /** of the dialog */
  title: string;
  owner: string;
  limit: string;
  amount: string;
}

export const newLimit: LimitDraft = {
  title: "New limit",
  owner: "tenant",
  limit: "usdPerDay",
  amount: "",
};

const common = {
  tenant: "the whole tenant",
  user: "each person",
  group: "each group",
  tag: "each tag",
} as const;

/** `null` if the limit is set elsewhere. */
export function ownerOf(
  { name, subject }: LimitState,
  { groups, tags }: Schemas["Policy"],
): string | null {
  const [scope = ""] = name.split(".");
  const [, single = ""] = /^(?:group|tag):(.*)$/s.exec(subject) ?? [];
  const isSingle = (scope === "group" ? groups : tags)?.limits?.[single] !== undefined;
  if (scope in common) return isSingle ? subject : scope;
  return scope === "key" || scope === "server" ? subject : null;
}

/** A merge patch of one limit. */
function set({ owner, limit, amount }: LimitDraft) {
  const limits = { [limit as LimitName]: amount === "" ? null : Number(amount) };
  const [, scope = "", single = ""] = /^(group|tag):(.*)$/s.exec(owner) ?? [];
  if (owner.startsWith("key_"))
    return api.PATCH("/admin/v1/tenants/{tenant}/keys/{id}", { id: owner, body: { limits } });
  if (owner.startsWith("srv_"))
    return api.PATCH("/admin/v1/tenants/{tenant}/servers/{server}", {
      server: owner,
      body: { policy: { limits } },
    });
  const bodies: Readonly<Record<string, Record<string, unknown>>> = {
    tenant: { limits },
    user: { perUser: limits },
    group: { groups: { each: limits } },
    tag: { tags: { each: limits } },
  };
  const body = bodies[owner] ?? { [`${scope}s`]: { limits: { [single]: limits } } };
  return api.PATCH("/admin/v1/tenants/{tenant}/policy", { body });
}

interface LimitFormProps {
  begun: LimitDraft;
  onDone: () => void;
  onClose: () => void;
}

export function LimitForm({ begun, onDone, onClose }: LimitFormProps) {
  const { draft, change } = useDraft(begun);
  const isNew = begun === newLimit;
  const names = Object.entries(useSubjectNames());
  const owners = names.filter(([id]) => id.startsWith("key_") || id.startsWith("srv_"));
  const fields: FieldOf<LimitDraft>[] = [
    {
      name: "owner",
      title: "For",
      options: [...Object.entries(common), ...owners],
      hint: (
        <>
          For a single group or tag, use <a href={ownPath("/policy")}>Policy</a>.
        </>
      ),
    },
    { name: "limit", title: "Limit", options: Object.entries(limitTitles) },
  ];
  const amount: FieldOf<LimitDraft> = {
    name: "amount",
    title: limitTitles[draft.limit as LimitName],
    type: "number",
    min: 0,
    step: draft.limit.startsWith("usd") ? "any" : "1",
    isRequired: isNew,
    ...(!isNew && { hint: "Leave blank to remove the limit." }),
  };
  const save = async () => {
    const saved = await set(draft);
    if (saved.ok) onDone();
    return saved;
  };
  return (
    <Dialog title={begun.title} onClose={onClose}>
      <Form submit="Save limit" act={save} onCancel={onClose}>
        <Fields of={isNew ? [...fields, amount] : [amount]} {...{ draft, change }} />
      </Form>
    </Dialog>
  );
}
