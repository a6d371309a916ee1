import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { useLoaded } from "../load.ts";
import { Check, Choice, Field, Form } from "../parts/form.tsx";
import { LimitFields, limitsPatchOf, textsOf } from "../parts/limits.tsx";
import { There } from "../parts/notice.tsx";
import { closed, EntranceFields, entranceOf } from "./server-entrance.tsx";

type Server = Schemas["Server"];
type Sampling = Server["sampling"];

const samplings: readonly (readonly [Sampling, string])[] = [
  ["router", "router: always the router"],
  ["client", "client: always the client, as without the router"],
  ["client-then-router", "client-then-router: the client if it supports sampling, else the router"],
  ["deny", "deny: sampling is refused"],
];

interface FormProps {
  tenant: string;
  onDone: () => void;
  onClose: () => void;
}

export function NewServer({ tenant, onDone, onClose }: FormProps) {
  const [slug, setSlug] = useState("");
  const [url, setUrl] = useState("");
  const [sampling, setSampling] = useState<Sampling>("router");
  const [entrance, setEntrance] = useState(closed);
  const make = async () => {
    const made = await asked(
      api.POST("/admin/v1/tenants/{tenant}/servers", {
        params: { path: { tenant } },
        body: { slug, url, sampling, ...entranceOf(entrance) },
      }),
    );
    if (made.ok) onDone();
    return made;
  };
  return (
    <Form submit="Register" act={make} onCancel={onClose}>
      {(faultOf) => (
        <>
          <Field
            title="Slug"
            name="slug"
            value={slug}
            onInput={setSlug}
            isRequired
            hint="Lowercase letters, digits, and hyphens."
            fault={faultOf("slug")}
          />
          <Field
            title="Address"
            name="url"
            type="url"
            value={url}
            onInput={setUrl}
            isRequired
            placeholder="https://mcp.example.com/mcp"
            fault={faultOf("url")}
          />
          <Choice
            title="Who answers sampling requests"
            name="sampling"
            value={sampling}
            options={samplings}
            onInput={setSampling}
          />
          <EntranceFields {...{ entrance, faultOf }} onInput={setEntrance} />
        </>
      )}
    </Form>
  );
}

/** Reads the entry again to keep concurrent changes. */
export function ServerPolicyForm({ tenant, slug, ...rest }: FormProps & { slug: string }) {
  const params = { path: { tenant, server: slug } };
  const loading = useLoaded(`server ${slug}`, () =>
    asked(api.GET("/admin/v1/tenants/{tenant}/servers/{server}", { params })),
  );
  return (
    <There what="the server" loading={loading}>
      {(server, { tag }) => <ServerForm {...{ tenant, server, tag, ...rest }} />}
    </There>
  );
}

interface ServerFormProps extends FormProps {
  server: Server;
  tag: string | null;
}

function ServerForm({ tenant, server, tag, onDone, onClose }: ServerFormProps) {
  const [sampling, setSampling] = useState(server.sampling);
  const [isDisabled, setDisabled] = useState(server.policy.disabled === true);
  const [limits, setLimits] = useState(textsOf(server.policy.limits));
  const change = async () => {
    const changed = await asked(
      api.PATCH("/admin/v1/tenants/{tenant}/servers/{server}", {
        params: { path: { tenant, server: server.slug } },
        headers: { "If-Match": tag ?? "*" },
        body: { sampling, policy: { disabled: isDisabled || null, limits: limitsPatchOf(limits) } },
      }),
    );
    if (changed.ok) onDone();
    return changed;
  };
  return (
    <Form submit="Save" act={change} onCancel={onClose}>
      {(faultOf) => (
        <>
          <Choice
            title="Who answers sampling requests"
            name="sampling"
            value={sampling}
            options={samplings}
            onInput={setSampling}
          />
          <Check
            title="Disabled: sampling is off for this server"
            name="disabled"
            value={isDisabled}
            onInput={setDisabled}
          />
          <LimitFields
            texts={limits}
            onInput={setLimits}
            faultOf={(name) => faultOf(`policy.${name}`)}
          />
        </>
      )}
    </Form>
  );
}
