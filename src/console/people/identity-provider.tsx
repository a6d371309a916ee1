import { useState } from "preact/hooks";
import { roles, type Role } from "../../domain/tenancy/scopes.ts";
import { api, asked, type Schemas } from "../api.ts";
import { time } from "../format.ts";
import { useLoaded } from "../load.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Check, Choice, Field, Form } from "../parts/form.tsx";
import { There } from "../parts/notice.tsx";
import { NotForRole } from "../parts/role.tsx";
import { routerUrl } from "../place.ts";
import { mayChange } from "../session.ts";

type Provider = Schemas["IdentityProvider"];
type Settings = Pick<Provider, "kind" | "issuer" | "clientId" | "claim">;

const nothing: Settings = { kind: "openid-connect", issuer: "", clientId: "", claim: "groups" };
const kinds = [
  ["openid-connect", "OpenID Connect"],
  ["cloudflare-access", "Cloudflare Access"],
] as const;

/** What people with a claim value may do. */
interface Group {
  value: string;
  role: Role | "";
  /** by OAuth */
  connects: boolean;
}

function groupsOf(provider: Provider | null): Group[] {
  const { roles: given = {}, callers = [] } = provider ?? {};
  const values = [...new Set([...Object.keys(given), ...callers])];
  return (values.length === 0 ? [""] : values).map((value) => ({
    value,
    role: given[value] ?? (provider === null ? "viewer" : ""),
    connects: callers.includes(value),
  }));
}

const settingsIn = (groups: readonly Group[]) => {
  const named = groups.filter(({ value }) => value.trim() !== "");
  const callers = named.filter(({ connects }) => connects).map(({ value }) => value.trim());
  return {
    roles: Object.fromEntries(
      named.flatMap(({ value, role }) => (role === "" ? [] : [[value.trim(), role] as const])),
    ),
    ...(callers.length > 0 && { callers }),
  };
};

const roleTitles: readonly (readonly [Role | "", string])[] = [
  ["", "no access"],
  ...roles.map((role) => [role, role] as const),
];

interface GroupsProps {
  groups: readonly Group[];
  change: (groups: Group[]) => void;
}

function Groups({ groups, change }: GroupsProps) {
  const changeAt = (place: number, changes: Partial<Group>): void =>
    change(groups.map((each, at) => (at === place ? { ...each, ...changes } : each)));
  return (
    <fieldset>
      <legend>Who has access</legend>
      {groups.map(({ value, role, connects }, at) => (
        <div key={at} class="group-row">
          <Field
            title="Claim value"
            name={`roles.${at}`}
            value={value}
            onInput={(text) => changeAt(at, { value: text })}
            placeholder="platform-team"
          />
          <Choice
            title="Console role"
            name={`role.${at}`}
            value={role}
            options={roleTitles}
            onInput={(chosen) => changeAt(at, { role: chosen })}
          />
          <Check
            name={`connects.${at}`}
            title="May connect programs to servers"
            value={connects}
            onInput={(isOn) => changeAt(at, { connects: isOn })}
          />
          <button
            type="button"
            class="quiet danger"
            aria-label={`Remove ${value || "this row"}`}
            onClick={() => change(groups.filter((_, each) => each !== at))}
          >
            Remove
          </button>
        </div>
      ))}
      <button
        type="button"
        class="quiet"
        onClick={() => change([...groups, { value: "", role: "viewer", connects: false }])}
      >
        Add a group
      </button>
      <p class="faint">
        If several match, the strongest role applies. People with no match can’t sign in.
      </p>
    </fieldset>
  );
}

/** What the identity provider’s form asks for, and the link to hand out. */
const Addresses = ({ tenant, isSet }: { tenant: string; isSet: boolean }) => (
  <div class="two">
    <div>
      <h3>At your identity provider</h3>
      <p>
        Register a web application (OpenID Connect, authorization code) with these redirect URIs.
        The second is for people who connect programs.
      </p>
      <CodeBlock
        title="Redirect URIs"
        text={`${routerUrl}/console/single-sign-on/callback\n${routerUrl}/oauth/sign-in`}
      />
      <p>Have it put the person’s groups into the ID token.</p>
    </div>
    <div>
      <h3>For your people</h3>
      <p>
        {isSet
          ? "With this link, people sign in without entering the tenant."
          : "Once saved, people sign in with this link."}
      </p>
      <CodeBlock title="Sign-in link" text={`${routerUrl}/console?tenant=${tenant}`} />
    </div>
  </div>
);

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
  const [groups, setGroups] = useState(groupsOf(provider));
  const save = async () => {
    const { kind, issuer, clientId, claim } = draft;
    const settings = { kind, issuer, clientId, claim, ...settingsIn(groups) };
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
          <Groups groups={groups} change={setGroups} />
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
                <Addresses tenant={tenant} isSet={provider !== null} />
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
