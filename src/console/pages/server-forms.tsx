import { api, type Schemas } from "../api.ts";
import { useRead } from "../load.ts";
import { Fields, type FieldOf } from "../parts/fields.tsx";
import { Form, useDraft } from "../parts/form.tsx";
import { LimitFields, limitsPatchOf, textsOf } from "../parts/limits.tsx";
import type { Ends } from "../parts/list-page.tsx";
import { There } from "../parts/notice.tsx";
import { closed, EntranceFields, entranceOf, type Entrance } from "./server-entrance.tsx";

type Server = Schemas["Server"];
type Sampling = Server["sampling"];

export const samplings: readonly (readonly [Sampling, string])[] = [
  ["router", "router: always the router"],
  ["client", "client: always the client, as without the router"],
  ["client-then-router", "client-then-router: the client if it supports sampling, else the router"],
  ["deny", "deny: sampling is refused"],
];
const samplingField = {
  name: "sampling",
  title: "Who answers sampling requests",
  options: samplings,
} as const;

interface FormProps extends Ends {}

interface NewDraft {
  slug: string;
  url: string;
  sampling: Sampling;
  entrance: Entrance;
}

const newFields: readonly FieldOf<NewDraft>[] = [
  {
    name: "slug",
    title: "Slug",
    isRequired: true,
    hint: "Lowercase letters, digits, and hyphens.",
  },
  {
    name: "url",
    title: "Address",
    type: "url",
    isRequired: true,
    placeholder: "https://mcp.example.com/mcp",
  },
  samplingField,
];

type NewServerProps = Omit<FormProps, "onDone"> & { onDone: (slug: string) => void };

export function NewServer({ onDone, onClose }: NewServerProps) {
  const { draft, change } = useDraft<NewDraft>({
    slug: "",
    url: "",
    sampling: "router",
    entrance: closed,
  });
  const make = async () => {
    const { entrance, ...body } = draft;
    const made = await api.POST("/admin/v1/tenants/{tenant}/servers", {
      body: { ...body, ...entranceOf(entrance) },
    });
    if (made.ok) onDone(made.value.slug);
    return made;
  };
  return (
    <Form submit="Register" act={make} onCancel={onClose}>
      <Fields of={newFields} {...{ draft, change }} />
      <EntranceFields entrance={draft.entrance} onInput={(entrance) => change({ entrance })} />
    </Form>
  );
}

/** Reads the entry again to keep concurrent changes. */
export function ServerPolicyForm({ slug, ...ends }: FormProps & { slug: string }) {
  const params = { server: slug };
  const loading = useRead("/admin/v1/tenants/{tenant}/servers/{server}", params);
  return (
    <There what="the server" loading={loading}>
      {(server, { tag }) => <ServerForm {...{ server, tag, ...ends }} />}
    </There>
  );
}

interface ServerFormProps extends FormProps {
  server: Server;
  tag: string | null;
}

const changeFields = [
  samplingField,
  {
    name: "parking",
    title:
      "Park calls: a call of a 2026-07-28 client waits while the client answers this older server’s questions, up to 5 minutes",
  },
  { name: "disabled", title: "Disabled: sampling is off for this server" },
] as const;

function ServerForm({ server, tag, onDone, onClose }: ServerFormProps) {
  const { draft, change } = useDraft({
    sampling: server.sampling,
    parking: server.parking,
    disabled: server.policy.disabled === true,
    limits: textsOf(server.policy.limits),
  });
  const save = async () => {
    const { sampling, parking, disabled, limits } = draft;
    const changed = await api.PATCH("/admin/v1/tenants/{tenant}/servers/{server}", {
      server: server.slug,
      ifMatch: tag,
      body: {
        sampling,
        // A host that can't park calls refuses the member.
        ...(parking !== server.parking && { parking }),
        policy: { disabled: disabled || null, limits: limitsPatchOf(limits) },
      },
    });
    if (changed.ok) onDone();
    return changed;
  };
  return (
    <Form submit="Save changes" act={save} onCancel={onClose}>
      <Fields of={changeFields} {...{ draft, change }} />
      <LimitFields
        texts={draft.limits}
        onInput={(limits) => change({ limits })}
        path="policy.limits"
      />
    </Form>
  );
}
