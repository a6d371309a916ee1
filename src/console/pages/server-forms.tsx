import { api, type Schemas } from "../api.ts";
import { useRead } from "../load.ts";
import { FormDialog } from "../parts/dialog.tsx";
import { Fields, Form, useDraft, useEdited, type FieldOf } from "../parts/form.tsx";
import { LimitFields } from "../parts/limits.tsx";
import type { Ends } from "../parts/list-page.tsx";
import { There } from "../parts/page.tsx";

type Server = Schemas["Server"];

export const samplings: Readonly<Record<Server["sampling"], string>> = {
  router: "The router",
  client: "The client, as without the router",
  "client-then-router": "The client if it supports sampling, otherwise the router",
  deny: "None: sampling is refused",
};

const samplingField = {
  name: "sampling",
  title: "Who answers sampling requests",
  options: Object.entries(samplings),
} as const;

const ways = {
  open: "None",
  header: "A secret in a header",
  tenant: "OAuth with one shared account",
  user: "OAuth with an account per person",
};

type Draft = Pick<Schemas["ServerInput"], "slug" | "url" | "sampling"> & {
  way: keyof typeof ways;
  header: string;
  secret?: string;
  oauth?: { clientId?: string; clientSecret?: string };
};

/** With how the router authenticates at the server. */
const bodyOf = ({ way, header, secret = "", oauth, ...server }: Draft) => ({
  ...server,
  ...(way === "header" && { headers: { [header]: secret } }),
  ...((way === "tenant" || way === "user") && {
    oauth: { grant: "authorization_code" as const, per: way, ...oauth },
  }),
});

const newFields: readonly FieldOf<Draft>[] = [
  {
    name: "slug",
    title: "Name",
    isRequired: true,
    hint: "Lowercase letters, digits, and hyphens. Clients see it in the address.",
  },
  {
    name: "url",
    title: "Address",
    inputmode: "url",
    isRequired: true,
    placeholder: "https://mcp.example.com/mcp",
  },
  samplingField,
  { name: "way", title: "Authentication", options: Object.entries(ways) },
];
const headerFields: readonly FieldOf<Draft>[] = [
  { name: "header", title: "Header", isRequired: true },
  {
    name: "secret",
    path: "headers",
    title: "Value",
    type: "password",
    isRequired: true,
    hint: "Encrypted immediately and never shown again.",
  },
];
const clientFields: readonly FieldOf<Draft>[] = [
  {
    name: "oauth.clientId",
    title: "OAuth client ID",
    hint: "Leave blank if the server registers clients automatically.",
  },
  { name: "oauth.clientSecret", title: "OAuth client secret", type: "password" },
];
const accessFields = { open: [], header: headerFields, tenant: clientFields, user: clientFields };

const access = { way: "open", header: "Authorization" } as const;
const empty: Draft = { slug: "", url: "", sampling: "router", ...access };
type NewServerProps = { onDone: (slug: string) => void; onClose: () => void };

export function NewServer({ onDone, onClose }: NewServerProps) {
  const its = useDraft(empty);
  const { slug, way } = its.draft;
  const act = () => api.POST("/admin/v1/tenants/{tenant}/servers", { body: bodyOf(its.draft) });
  const form = { title: "New server", submit: "Register", act, onClose };
  return (
    <FormDialog {...form} onDone={() => onDone(slug)}>
      <Fields of={[...newFields, ...accessFields[way]]} {...its} />
    </FormDialog>
  );
}

/** Reads the entry again to keep concurrent changes. */
export const ChangeServer = ({ server, ...ends }: Ends & { server: string }) => (
  <There
    what="the server"
    loading={useRead("/admin/v1/tenants/{tenant}/servers/{server}", { server })}
  >
    {(found, { tag }) => <ServerForm {...{ server: found, tag, ...ends }} />}
  </There>
);

const changeFields = [
  samplingField,
  {
    name: "parking",
    title:
      "Park calls: a call of a 2026-07-28 client waits while the client answers this older server’s questions, up to 5 minutes",
  },
  { name: "policy.disabled", title: "Disabled: sampling is off for this server", as: "check" },
] as const;

function ServerForm({ server, tag, ...ends }: Ends & { server: Server; tag: string | null }) {
  const { patch: body, ...its } = useEdited(server);
  const { policy } = its.draft;
  const path = "/admin/v1/tenants/{tenant}/servers/{server}";
  const save = () => api.PATCH(path, { server: server.slug, ifMatch: tag, body });
  return (
    <Form submit="Save changes" act={save} onDone={ends.onDone} onCancel={ends.onClose}>
      <Fields of={changeFields} {...its} />
      <LimitFields
        limits={policy.limits}
        onInput={(limits = {}) => its.change({ policy: { ...policy, limits } })}
        path="policy.limits"
      />
    </Form>
  );
}
