import { useState } from "preact/hooks";
import { roles, type Role } from "../../domain/tenancy/scopes.ts";
import { api, asked, type Schemas } from "../api.ts";
import { time } from "../format.ts";
import { useLoaded } from "../load.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Choice, Field, Form, TextArea } from "../parts/form.tsx";
import { There } from "../parts/notice.tsx";
import { NotForRole } from "../parts/role.tsx";
import { mayChange } from "../session.ts";

type Provider = Schemas["IdentityProvider"];
type Settings = Pick<Provider, "kind" | "issuer" | "clientId" | "claim">;

const nothing: Settings = { kind: "openid-connect", issuer: "", clientId: "", claim: "groups" };
const kinds = [
  ["openid-connect", "OpenID Connect"],
  ["cloudflare-access", "Cloudflare Access"],
] as const;

const linesOf = (given: Provider["roles"]): string =>
  Object.entries(given)
    .map(([value, role]) => `${value} = ${role}`)
    .join("\n");

/** The API reports unknown roles. */
const rolesIn = (text: string) =>
  Object.fromEntries(
    text.split("\n").flatMap((line): [string, string][] => {
      const at = line.lastIndexOf("=");
      const name = (at < 0 ? line : line.slice(0, at)).trim();
      return name === "" ? [] : [[name, line.slice(at + 1).trim()]];
    }),
  ) as Record<string, Role>;

interface EditProps {
  tenant: string;
  provider: Provider | null;
  onDone: () => void;
}

interface FieldsProps {
  draft: Settings;
  change: (changes: Partial<Settings>) => void;
  faultOf: (name: string) => string | null;
}

const texts = {
  issuer: { title: "Issuer", hint: "The provider’s issuer URL." },
  clientId: { title: "Client id", hint: "" },
  claim: { title: "Claim", hint: "The claim that determines the role, for example groups." },
} as const;

function Fields({ draft, change, faultOf }: FieldsProps) {
  return (
    <>
      <Choice
        title="Kind"
        name="kind"
        value={draft.kind}
        options={kinds}
        onInput={(kind) => change({ kind })}
      />
      {(["issuer", "clientId", "claim"] as const).map((name) => (
        <Field
          key={name}
          {...texts[name]}
          name={name}
          value={draft[name]}
          onInput={(value) => change({ [name]: value })}
          isRequired
          fault={faultOf(name)}
        />
      ))}
    </>
  );
}

function Edit({ tenant, provider, onDone }: EditProps) {
  const [draft, setDraft] = useState<Settings>(provider ?? nothing);
  const [secret, setSecret] = useState("");
  const [mapping, setMapping] = useState(linesOf(provider?.roles ?? {}));
  const save = async () => {
    const { kind, issuer, clientId, claim } = draft;
    const settings = { kind, issuer, clientId, claim, roles: rolesIn(mapping) };
    const put = await asked(
      api.PUT("/admin/v1/tenants/{tenant}/sign-in", {
        params: { path: { tenant } },
        body: { ...settings, ...(secret !== "" && { clientSecret: secret }) },
      }),
    );
    if (put.ok) onDone();
    return put;
  };
  return (
    <Form submit="Save changes" act={save}>
      {(faultOf) => (
        <>
          <div class="grid">
            <Fields
              {...{ draft, faultOf }}
              change={(changes) => setDraft({ ...draft, ...changes })}
            />
            <Field
              title="Client secret"
              name="clientSecret"
              type="password"
              value={secret}
              onInput={setSecret}
              hint={provider?.hasSecret === true ? "Leave blank to keep the current one." : ""}
              fault={faultOf("clientSecret")}
            />
          </div>
          <TextArea
            title="Roles"
            name="roles"
            rows={4}
            isCode
            value={mapping}
            onInput={setMapping}
            hint={`One claim value per line, for example platform-team = admin. Roles: ${roles.join(", ")}.`}
          />
          <p class="faint">Saving ends the sessions of all people of this tenant.</p>
        </>
      )}
    </Form>
  );
}

function Remove({ tenant, onDone }: Omit<EditProps, "provider">) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <div class="buttons">
        <button type="button" class="quiet danger" onClick={() => setAsking(true)}>
          Remove identity provider
        </button>
      </div>
      {isAsking && (
        <Confirm
          title="Remove and end sessions"
          act={() =>
            asked(
              api.DELETE("/admin/v1/tenants/{tenant}/sign-in", { params: { path: { tenant } } }),
            )
          }
          onDone={onDone}
          onClose={() => setAsking(false)}
        >
          <p>Ends the sessions of all people of this tenant. Keys are not affected.</p>
        </Confirm>
      )}
    </>
  );
}

/** A missing provider isn't an error. */
async function providerOf(tenant: string) {
  const found = await asked(
    api.GET("/admin/v1/tenants/{tenant}/sign-in", { params: { path: { tenant } } }),
  );
  return !found.ok && found.problem.status === 404
    ? ({ ok: true, value: null, tag: null } as const)
    : found;
}

export function IdentityProvider({ tenant }: { tenant: string }) {
  const [changes, setChanges] = useState(0);
  const loading = useLoaded<Provider | null>(`identity provider of ${tenant} ${changes}`, () =>
    providerOf(tenant),
  );
  const done = (): void => setChanges(changes + 1);
  return (
    <section class="card stack" aria-label="Identity provider">
      <h2>Identity provider</h2>
      <There what="the identity provider" loading={loading}>
        {(provider) => (
          <>
            <p>
              {provider === null
                ? "No identity provider configured. People sign in with API keys."
                : `Set on ${time(provider.updatedAt)}.`}
            </p>
            {mayChange.value ? (
              <>
                <Edit {...{ tenant, provider }} onDone={done} />
                {provider !== null && <Remove tenant={tenant} onDone={done} />}
              </>
            ) : (
              <>
                <NotForRole what="can’t set the identity provider" permission="change" />
                {provider !== null && (
                  <CodeBlock title="Settings" text={JSON.stringify(provider, null, 2)} />
                )}
              </>
            )}
          </>
        )}
      </There>
    </section>
  );
}
